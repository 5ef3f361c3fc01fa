using System.Buffers.Binary;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Stacks;

/// <summary>An event with its stack: code addresses, leaf first. The span is valid during the callback only.</summary>
/// <param name="time">CLOCK_MONOTONIC ns.</param>
internal delegate void StackHandler(EventKind kind, int tid, long time, ReadOnlySpan<byte> stack);

/// <summary>Reads which stack each event of a .nettrace file has.</summary>
/// <remarks>Stack ids start anew at sequence points; a stack's block precedes its events.</remarks>
internal sealed class NettraceStackReader
{
    private const int BlockHeaderBytes = 8;

    private readonly StackHandler _handler;
    private readonly ThreadIds? _threads;
    private readonly EventKinds _kinds = new();
    private readonly Dictionary<int, (NettraceBlock Block, int Offset, int Length)> _stacks = [];

    private NettraceStackReader(StackHandler handler, ThreadIds? threads) => (_handler, _threads) = (handler, threads);

    /// <summary>Delivers every event that has a stack, in the order of the file, which is that of time per thread only. Of a
    /// file that is cut or damaged, what came before that.</summary>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static void Read(string path, StreamBounds bounds, StackHandler handler, CancellationToken cancellation = default)
    {
        var reader = new NettraceStackReader(handler, bounds.Threads);
        NettraceFile.Read(path, bounds, reader._kinds, reader.OnBlock, cancellation);
        reader.Forget();
    }

    private void OnBlock(NettraceBlock block)
    {
        switch (block.Kind)
        {
            case BlockKind.Events:
                ReadEvents(block);
                break;
            case BlockKind.Stacks:
                AddStacks(block);
                break;
            case BlockKind.SequencePoint:
                Forget();
                break;
        }
    }

    private void AddStacks(NettraceBlock block)
    {
        ReadOnlySpan<byte> bytes = block.Bytes;
        var id = BinaryPrimitives.ReadInt32LittleEndian(bytes);
        for (var at = BlockHeaderBytes; at < bytes.Length;)
        {
            var size = BinaryPrimitives.ReadInt32LittleEndian(bytes[at..]);
            at += sizeof(int);
            block.Hold();
            if (_stacks.Remove(id, out var former))
            {
                former.Block.Release();
            }

            _stacks.Add(id++, (block, at, size));
            at += size;
        }
    }

    private void ReadEvents(NettraceBlock block)
    {
        for (var cursor = new EventCursor(block.Events); cursor.Next();)
        {
            if (_stacks.TryGetValue(cursor.StackId, out var stack) && stack.Length > 0)
            {
                var (tid, time) = ((int)cursor.ThreadId, block.Clock.Nanoseconds(cursor.Ticks));
                _handler(
                    _kinds.Find(cursor.MetadataId)!,
                    _threads?.Of(tid, time) ?? tid,
                    time,
                    stack.Block.Bytes.Slice(stack.Offset, stack.Length));
            }
        }
    }

    private void Forget()
    {
        foreach (var stack in _stacks.Values)
        {
            stack.Block.Release();
        }

        _stacks.Clear();
    }
}
