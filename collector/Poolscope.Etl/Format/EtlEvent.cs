using System.Buffers.Binary;

namespace Poolscope.Etl.Format;

/// <summary>One event, read in place from its buffer. It is valid until the reader moves to the next event.</summary>
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

    /// <summary>The time of the event, ns, on the clock of <see cref="EtlClock"/>.</summary>
    public long Time { get; }

    /// <summary>The processor that wrote the event.</summary>
    public int Cpu { get; }

    /// <summary>The width of the payload's pointers, bytes: the pointer size of the program that wrote the
    /// event.</summary>
    public int PointerSize { get; }

    /// <summary>The hook of a kernel event (<see cref="KernelHooks"/>); null for other events.</summary>
    public ushort? Hook { get; }

    /// <summary>The process in whose context the event was written; -1: not recorded.</summary>
    public int Pid => Kind is HeaderKind.PerfInfo or HeaderKind.Other ? Unknown : BinaryPrimitives.ReadInt32LittleEndian(_header[ProcessOffset..]);

    /// <summary>The thread in whose context the event was written; -1: not recorded.</summary>
    public int Tid => Kind is HeaderKind.PerfInfo or HeaderKind.Other ? Unknown : BinaryPrimitives.ReadInt32LittleEndian(_header[ThreadOffset..]);

    /// <summary>GUID of the manifest, or of the class; empty if the header has neither.</summary>
    public Guid Provider => HasProvider ? new Guid(_header.Slice(ProviderOffset, GuidBytes)) : Guid.Empty;

    /// <summary>The id of a manifest's event; 0 for other events.</summary>
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

    /// <summary>The activity that the thread worked for; empty: none was set.</summary>
    public Guid Activity => Kind == HeaderKind.Manifest ? new Guid(_header.Slice(ActivityOffset, GuidBytes)) : Guid.Empty;

    /// <summary>The activity in which this one began; empty: none.</summary>
    public Guid Related => _items.Related;

    /// <summary>The event's own stack, innermost address first, <see cref="StackPointerSize"/> bytes each; empty:
    /// none.</summary>
    public ReadOnlySpan<byte> Stack => _items.Stack;

    public int StackPointerSize => _items.StackPointer;

    /// <summary>The key of a stack that another event holds; 0: none.</summary>
    public ulong StackKey => _items.StackKey;

    public ReadOnlySpan<byte> Payload { get; }

    private bool HasProvider => Kind is HeaderKind.Classic or HeaderKind.Manifest;

    private ushort UInt16(int at) => BinaryPrimitives.ReadUInt16LittleEndian(_header[at..]);
}
