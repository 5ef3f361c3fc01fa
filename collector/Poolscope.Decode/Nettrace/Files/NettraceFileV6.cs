using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Files;

/// <summary>Walks the blocks of a .nettrace file of version 6, which `dotnet-trace collect-linux` writes. Its size and
/// kind precede each block, and one file holds several processes.</summary>
internal sealed class NettraceFileV6(Stream file, StreamBounds bounds, EventKinds kinds, BlockHandler handler)
{
    private const int EndOfStream = 0;
    private const int Trace = 1;
    private const int Events = 2;
    private const int Metadata = 3;
    private const int SequencePoint = 4;
    private const int Stacks = 5;
    private const int Threads = 6;
    private const int RemoveThreads = 7;
    private const int LabelLists = 8;
    private const int SizeBits = 24;

    private readonly EventOrder _order = new();
    private readonly FileLabels _labels = new();
    private FileThreads _threads = new(-1);

    public NettraceHeader? Header { get; private set; }

    /// <returns>False if the file says that it ends here.</returns>
    /// <exception cref="NettraceDamage">The block is damaged.</exception>
    /// <exception cref="EndOfStreamException">The file ends in the middle of the block.</exception>
    public bool ReadBlock()
    {
        Span<byte> start = stackalloc byte[sizeof(uint)];
        file.ReadExactly(start);
        var (size, kind) = (BinaryPrimitives.ReadUInt32LittleEndian(start) & ((1 << SizeBits) - 1), start[^1]);
        if (size > file.Length - file.Position)
        {
            throw new EndOfStreamException();
        }

        if (Header is null != (kind == Trace))
        {
            throw new NettraceDamage(Header is null ? "it has no header" : "it has a second header");
        }

        var block = New(Of(kind), (int)size);
        try
        {
            file.ReadExactly(block.Bytes);
            if (kind == EndOfStream)
            {
                return false;
            }

            Take(kind, block);
            return true;
        }
        finally
        {
            block.Release();
        }
    }

    private static BlockKind Of(int kind) => kind switch
    {
        Events => BlockKind.Events,
        Stacks => BlockKind.Stacks,
        SequencePoint => BlockKind.SequencePoint,
        RemoveThreads => BlockKind.ThreadsEnd,
        _ => BlockKind.Metadata,
    };

    private NettraceBlock New(BlockKind kind, int size) => new(kind, size)
    {
        Clock = Header?.Clock ?? default,
        PointerSize = Header?.PointerSize ?? sizeof(long),
        Threads = _threads,
        Labels = _labels,
    };

    /// <summary>Takes a block. Blocks of other kinds belong to a later version and are skipped.</summary>
    private void Take(int kind, NettraceBlock block)
    {
        switch (kind)
        {
            case Trace:
                Header = HeaderV6.Read(block.Bytes, bounds);
                _threads = new FileThreads(Header.ProcessId);
                break;
            case Metadata:
                EventDescriptions.Read(block.Bytes, bounds.AnyProvider, kinds);
                break;
            case Threads:
                _threads.Add(block.Bytes);
                break;
            case LabelLists:
                _labels.Add(block.Bytes);
                break;
            case Events:
                BlockCheckV6.Events(block, kinds, Header!.Within(bounds));
                _order.Check(block);
                handler(block);
                break;
            case Stacks:
                BlockCheck.Check(block, kinds, bounds);
                handler(block);
                break;
            case SequencePoint:
                TakePoint(block);
                break;
            case RemoveThreads:
                block.Counted = BlockCheckV6.Counted(block.Bytes, _threads, _threads.Remove);
                handler(block);
                break;
        }
    }

    /// <summary>Takes a sequence point: all events written before it are complete, and later events name no earlier
    /// list of labels.</summary>
    private void TakePoint(NettraceBlock block)
    {
        var flags = BlockCheckV6.SequencePoint(block, Header!.Within(bounds));
        _order.ReachedPoint();
        handler(block);
        _labels.Clear();
        if (flags.HasFlag(PointFlags.ForgetThreads))
        {
            _threads.Clear();
        }

        if (flags.HasFlag(PointFlags.ForgetKinds))
        {
            kinds.Clear();
        }
    }
}
