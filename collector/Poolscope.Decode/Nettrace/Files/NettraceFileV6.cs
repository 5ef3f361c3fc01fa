using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Files;

/// <summary>Walks the blocks of a .nettrace file of version 6, which `dotnet-trace collect-linux` writes: each has its size and its
/// kind before it, and one file holds several processes.</summary>
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

    /// <returns>False: the file says that it ends here.</returns>
    /// <exception cref="NettraceDamage">It cannot be true.</exception>
    /// <exception cref="EndOfStreamException">The file ends in the middle of it.</exception>
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

    /// <summary>Blocks of other kinds are of a later version, and passed over.</summary>
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

    /// <summary>What was written before it is complete, and no list of labels is named any more after it.</summary>
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
