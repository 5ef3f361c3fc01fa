using System.Buffers;
using System.Buffers.Binary;

namespace Poolscope.Decode.Nettrace;

internal enum BlockKind
{
    /// <summary>Describes events: which provider, which id.</summary>
    Metadata,

    Events,

    Stacks,

    /// <summary>How far each thread has counted its events.</summary>
    SequencePoint,
}

/// <summary>A block of a .nettrace file in a pooled buffer, which goes back when nobody holds it any more.</summary>
internal sealed class NettraceBlock(BlockKind kind, int length)
{
    /// <summary>Size of the header (u16), flags (u16), time of the oldest and of the newest event (i64 each).</summary>
    public const int EventHeaderBytes = 20;

    private const int CompressedHeaders = 1;

    private byte[]? _buffer = ArrayPool<byte>.Shared.Rent(length);
    private EventIndex? _index;
    private int _holders = 1;

    public BlockKind Kind => kind;

    /// <summary>Gives ticks their nanoseconds.</summary>
    public required TickClock Clock { get; init; }

    /// <summary>Bytes of a pointer of the process that wrote the file.</summary>
    public required int PointerSize { get; init; }

    /// <exception cref="ObjectDisposedException">Everybody has released it.</exception>
    public Span<byte> Bytes => (_buffer ?? throw new ObjectDisposedException(nameof(NettraceBlock))).AsSpan(0, length);

    /// <summary>The part of <see cref="Bytes"/> behind the header, of a block of events or of metadata.</summary>
    public ReadOnlySpan<byte> Events => Bytes[BinaryPrimitives.ReadUInt16LittleEndian(Bytes)..];

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
}
