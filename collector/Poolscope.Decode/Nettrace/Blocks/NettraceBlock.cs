using System.Buffers;
using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

internal enum BlockKind
{
    /// <summary>Descriptions of events: provider and id.</summary>
    Metadata,

    Events,

    Stacks,

    /// <summary>The event count of each thread.</summary>
    SequencePoint,

    /// <summary>Version 6: threads that write no more, with their event counts.</summary>
    ThreadsEnd,
}

/// <summary>A block of a .nettrace file in a pooled buffer, which its last holder returns to the pool.</summary>
internal sealed class NettraceBlock(BlockKind kind, int length)
{
    /// <summary>The size of the header: size (u16), flags (u16), times of the oldest and the newest event (i64
    /// each).</summary>
    public const int EventHeaderBytes = 20;

    private const int CompressedHeaders = 1;
    private const int GuidBytes = 16;

    private byte[]? _buffer = ArrayPool<byte>.Shared.Rent(length);
    private EventIndex? _index;
    private int _holders = 1;

    public BlockKind Kind => kind;

    /// <summary>Converts ticks to nanoseconds.</summary>
    public required TickClock Clock { get; init; }

    /// <summary>The pointer size in bytes of the process that wrote the file.</summary>
    public required int PointerSize { get; init; }

    /// <summary>The threads that the block's events name by number, in version 6; null if events hold thread
    /// ids.</summary>
    public FileThreads? Threads { get; init; }

    /// <summary>The activities that the block's events name by number, in version 6.</summary>
    public FileLabels? Labels { get; init; }

    /// <summary>The event counts of threads, by the rows that gave them their indices. Set for a sequence point or a
    /// block that ends threads in version 6.</summary>
    public List<(int Row, uint Sequence)>? Counted { get; set; }

    /// <exception cref="ObjectDisposedException">All holders have released the block.</exception>
    public Span<byte> Bytes => (_buffer ?? throw new ObjectDisposedException(nameof(NettraceBlock))).AsSpan(0, length);

    /// <summary>The part of <see cref="Bytes"/> after the header, in a block of events or of metadata.</summary>
    public ReadOnlySpan<byte> Events => Bytes[BinaryPrimitives.ReadUInt16LittleEndian(Bytes)..];

    /// <summary>A cursor over <see cref="Events"/>.</summary>
    public EventCursor Cursor => new(Events, Threads is null ? EventHeaders.Compressed : IsCompressed ? EventHeaders.CompressedV6 : EventHeaders.WholeV6);

    /// <summary>The decoded <see cref="Events"/> of a checked block of events. Disposed with the block.</summary>
    /// <exception cref="InvalidOperationException">The block is of another kind, or was not checked.</exception>
    public EventIndex Index
    {
        get => _index ?? throw new InvalidOperationException("A block without an index of events.");
        set => _index = value;
    }

    /// <summary>Whether event headers omit unchanged fields. All runtimes since .NET Core 3.0 write such
    /// headers.</summary>
    public bool IsCompressed => (BinaryPrimitives.ReadUInt16LittleEndian(Bytes[2..]) & CompressedHeaders) != 0;

    public long OldestTicks => BinaryPrimitives.ReadInt64LittleEndian(Bytes[4..]);

    public long NewestTicks => BinaryPrimitives.ReadInt64LittleEndian(Bytes[12..]);

    /// <summary>Returns the activities of an event of the block.</summary>
    /// <returns>Empty ids if the event reports no activities.</returns>
    public (Guid Activity, Guid Related) ActivitiesOf(in EventEntry entry) => Labels is { } labels
        ? labels.Of(entry.ActivityOffset)
        : (Activity(entry.ActivityOffset), Activity(entry.RelatedOffset));

    public void Hold() => _holders++;

    public void Release()
    {
        if (--_holders == 0 && _buffer is { } buffer)
        {
            _buffer = null;
            ArrayPool<byte>.Shared.Return(buffer);
            _index?.Dispose();
        }
    }

    private Guid Activity(int offset) => offset < 0 ? default : new Guid(Events.Slice(offset, GuidBytes));
}
