using System.Buffers.Binary;

namespace Poolscope.Etl.Format;

/// <summary>One event as its buffer holds it. Valid until the next one is asked for.</summary>
public readonly ref struct EtlEvent
{
    private const int GuidBytes = 16;
    private const int HookOffset = 6;
    private const int ThreadOffset = 8;
    private const int ProcessOffset = 12;
    private const int ClassicOpcode = 4;
    private const int ClassicLevel = 5;
    private const int ClassicVersion = 6;
    private const int ProviderOffset = 24;
    private const int IdOffset = 40;
    private const int VersionOffset = 42;
    private const int LevelOffset = 44;
    private const int OpcodeOffset = 45;
    private const int TaskOffset = 46;
    private const int KeywordOffset = 48;
    private const int ActivityOffset = 64;
    private const int FlagsOffset = 4;
    private const ushort HasItems = 1;
    private const int Unknown = -1;

    private readonly ReadOnlySpan<byte> _header;
    private readonly ExtendedItems _items;

    internal EtlEvent(ReadOnlySpan<byte> bytes, EventHeader header, long time, int cpu)
    {
        (Kind, Time, Cpu, PointerSize) = (header.Kind, time, cpu, header.PointerSize);
        _header = bytes[..header.HeaderBytes];
        var rest = bytes[header.HeaderBytes..header.Bytes];
        if (Kind == HeaderKind.Manifest && (UInt16(FlagsOffset) & HasItems) != 0)
        {
            _items = ExtendedItems.Read(rest);
        }

        Payload = rest[_items.Bytes..];
        Hook = Kind switch
        {
            HeaderKind.System or HeaderKind.PerfInfo => UInt16(HookOffset),
            HeaderKind.Classic => KernelHooks.Of(Provider, Opcode),
            _ => null,
        };
    }

    public HeaderKind Kind { get; }

    /// <summary>ns, on the clock of <see cref="EtlClock"/>.</summary>
    public long Time { get; }

    /// <summary>Processor that wrote it.</summary>
    public int Cpu { get; }

    /// <summary>Of whoever wrote it, bytes: the width of the payload's pointers.</summary>
    public int PointerSize { get; }

    /// <summary>What of the kernel it tells (<see cref="KernelHooks"/>); null: it is not the kernel's.</summary>
    public ushort? Hook { get; }

    /// <summary>Process in whose name it was written; -1: not reported.</summary>
    public int Pid => Kind is HeaderKind.PerfInfo or HeaderKind.Other ? Unknown : BinaryPrimitives.ReadInt32LittleEndian(_header[ProcessOffset..]);

    /// <summary>Thread in whose name it was written; -1: not reported.</summary>
    public int Tid => Kind is HeaderKind.PerfInfo or HeaderKind.Other ? Unknown : BinaryPrimitives.ReadInt32LittleEndian(_header[ThreadOffset..]);

    /// <summary>GUID of the manifest, or of the class; empty for those of the kernel with a hook.</summary>
    public Guid Provider => HasProvider ? new Guid(_header.Slice(ProviderOffset, GuidBytes)) : Guid.Empty;

    /// <summary>0 for all but those of a manifest.</summary>
    public int Id => Kind == HeaderKind.Manifest ? UInt16(IdOffset) : 0;

    public int Version => Kind switch
    {
        HeaderKind.Manifest => _header[VersionOffset],
        HeaderKind.Classic => UInt16(ClassicVersion),
        HeaderKind.System or HeaderKind.PerfInfo => UInt16(0),
        _ => 0,
    };

    public byte Opcode => Kind switch
    {
        HeaderKind.Manifest => _header[OpcodeOffset],
        HeaderKind.Classic => _header[ClassicOpcode],
        HeaderKind.System or HeaderKind.PerfInfo => _header[HookOffset],
        _ => 0,
    };

    public byte Level => Kind switch
    {
        HeaderKind.Manifest => _header[LevelOffset],
        HeaderKind.Classic => _header[ClassicLevel],
        _ => 0,
    };

    public int Task => Kind == HeaderKind.Manifest ? UInt16(TaskOffset) : 0;

    public ulong Keyword => Kind == HeaderKind.Manifest ? BinaryPrimitives.ReadUInt64LittleEndian(_header[KeywordOffset..]) : 0;

    /// <summary>What the thread was at work for; empty: it was told nothing.</summary>
    public Guid Activity => Kind == HeaderKind.Manifest ? new Guid(_header.Slice(ActivityOffset, GuidBytes)) : Guid.Empty;

    /// <summary>Which activity this one began in; empty: none.</summary>
    public Guid Related => _items.Related;

    /// <summary>The event's own stack, innermost address first, of <see cref="StackPointerSize"/> bytes each; empty: none.</summary>
    public ReadOnlySpan<byte> Stack => _items.Stack;

    public int StackPointerSize => _items.StackPointer;

    /// <summary>Names a stack that is told elsewhere; 0: none.</summary>
    public ulong StackKey => _items.StackKey;

    public ReadOnlySpan<byte> Payload { get; }

    private bool HasProvider => Kind is HeaderKind.Classic or HeaderKind.Manifest;

    private ushort UInt16(int at) => BinaryPrimitives.ReadUInt16LittleEndian(_header[at..]);
}
