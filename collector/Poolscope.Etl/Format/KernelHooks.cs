namespace Poolscope.Etl.Format;

/// <summary>The hooks of the kernel's events. The high byte is the group, the low byte the opcode.</summary>
public static class KernelHooks
{
    public const ushort FileHeader = 0x0000;

    public const ushort ProcessStart = 0x0301;
    public const ushort ProcessEnd = 0x0302;
    public const ushort ProcessExists = 0x0303;
    public const ushort ProcessExistsAtEnd = 0x0304;
    public const ushort ImageLoad = 0x030A;

    public const ushort ThreadStart = 0x0501;
    public const ushort ThreadEnd = 0x0502;
    public const ushort ThreadExists = 0x0503;
    public const ushort ThreadExistsAtEnd = 0x0504;
    public const ushort Switch = 0x0524;
    public const ushort Ready = 0x0532;
    public const ushort ThreadName = 0x0548;

    public const ushort TcpSend = 0x060A;
    public const ushort TcpReceive = 0x060B;
    public const ushort TcpConnect = 0x060C;
    public const ushort TcpDisconnect = 0x060D;
    public const ushort TcpRetransmit = 0x060E;
    public const ushort TcpAccept = 0x060F;

    /// <summary>Added to a TCP hook for IPv6.</summary>
    public const ushort TcpVersion6 = 0x10;

    /// <summary>The number and speed of the machine's processors, its memory and its name.</summary>
    public const ushort Machine = 0x0B0A;

    public const ushort Sample = 0x0F2E;

    public const ushort ImageExists = 0x1403;
    public const ushort ImageExistsAtEnd = 0x1404;

    public const ushort StackWalk = 0x1820;
    public const ushort StackKeyDeleted = 0x1823;
    public const ushort StackKeyRundown = 0x1824;
    public const ushort StackKeyUser = 0x1826;

    private const ushort ImageGroup = 0x1400;
    private const byte LoadOpcode = 0x0A;

    // Rewritten files have a class in place of the kernel's hook.
    private static readonly (Guid Class, ushort Group)[] Classes =
    [
        (Guid.Parse("68fdd900-4a3e-11d1-84f4-0000f80464e3"), 0x0000),
        (Guid.Parse("3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c"), 0x0300),
        (Guid.Parse("3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c"), 0x0500),
        (Guid.Parse("9a280ac0-c8e0-11d1-84e2-00c04fb998a2"), 0x0600),
        (Guid.Parse("01853a65-418f-4f36-aefc-dc0f1d2fd235"), 0x0B00),
        (Guid.Parse("ce1dbfb4-137e-4da6-87b0-3f59aa102cbc"), 0x0F00),
        (Guid.Parse("2cb15d1d-5fc1-11d2-abe1-00a0c911f518"), ImageGroup),
        (Guid.Parse("def2fe46-7bd6-4b80-bd94-f57fe20d0ce3"), 0x1800),
    ];

    /// <summary>Returns the hook of an event of a class, or null if the class is not one of the kernel's.</summary>
    public static ushort? Of(Guid kernelClass, byte opcode)
    {
        foreach (var (known, group) in Classes)
        {
            if (known == kernelClass)
            {
                return group == ImageGroup && opcode == LoadOpcode ? ImageLoad : (ushort)(group | opcode);
            }
        }

        return null;
    }
}
