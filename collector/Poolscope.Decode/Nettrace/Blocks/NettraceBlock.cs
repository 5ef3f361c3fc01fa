using System.Buffers;
using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

internal enum BlockKind
{
    /// <summary>Describes events: which provider, which id.</summary>
    Metadata,

    Events,

    Stacks,

    /// <summary>How far each thread has counted its events.</summary>
    SequencePoint,

    /// <summary>Of version 6: threads that write no more, and how far they have counted.</summary>
    ThreadsEnd,
}

/// <summary>A block of a .nettrace file in a pooled buffer, which goes back when nothing holds it any more.</summary>
internal sealed class NettraceBlock(BlockKind kind, int length)
{
    /// <summary>Size of the header (u16), flags (u16), time of the oldest and of the newest event (i64 each).</summary>
    public const int EventHeaderBytes = 20;

    private const int CompressedHeaders = 1;
    private const int GuidBytes = 16;

    private byte[]? _buffer = ArrayPool<byte>.Shared.Rent(length);
    private EventIndex? _index;
    private int _holders = 1;

    public BlockKind Kind => kind;

    /// <summary>Gives ticks their nanoseconds.</summary>
    public required TickClock Clock { get; init; }

    /// <summary>Bytes of a pointer of the process that wrote the file.</summary>
    public required int PointerSize { get; init; }

    /// <summary>Of version 6: the threads that its events name by their numbers. Null: events have the ids themselves.</summary>
    public FileThreads? Threads { get; init; }

    /// <summary>Of version 6: the activities that its events name by their numbers.</summary>
    public FileLabels? Labels { get; init; }

    /// <summary>Of a sequence point or the end of threads of version 6: how far threads have counted, by the rows that gave them
    /// their indices.</summary>
    public List<(int Row, uint Sequence)>? Counted { get; set; }

    /// <exception cref="ObjectDisposedException">Everybody has released it.</exception>
    public Span<byte> Bytes => (_buffer ?? throw new ObjectDisposedException(nameof(NettraceBlock))).AsSpan(0, length);

    /// <summary>The part of <see cref="Bytes"/> behind the header, of a block of events or of metadata.</summary>
    public ReadOnlySpan<byte> Events => Bytes[BinaryPrimitives.ReadUInt16LittleEndian(Bytes)..];

    /// <summary>Walks <see cref="Events"/>.</summary>
    public EventCursor Cursor => new(Events, Threads is null ? EventHeaders.Compressed : IsCompressed ? EventHeaders.CompressedV6 : EventHeaders.WholeV6);

    /// <summary>What <see cref="Events"/> are, of a block of events that was checked. Goes with the block.</summary>
    /// <exception cref="InvalidOperationException">It is of another kind, or was not checked.</exception>
    public EventIndex Index
    {
        get => _index ?? throw new InvalidOperationException("A block without an index of events.");
        set => _index = value;
    }

    /// <summary>Whether an event's header may leave out what did not change. All runtimes since .NET Core 3.0 write it so.</summary>
    public bool IsCompressed => (BinaryPrimitives.ReadUInt16LittleEndian(Bytes[2..]) & CompressedHeaders) != 0;

    public long OldestTicks => BinaryPrimitives.ReadInt64LittleEndian(Bytes[4..]);

    public long NewestTicks => BinaryPrimitives.ReadInt64LittleEndian(Bytes[12..]);

    /// <summary>The activities of an event of the block.</summary>
    /// <returns>Empty if it tells of none.</returns>
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
