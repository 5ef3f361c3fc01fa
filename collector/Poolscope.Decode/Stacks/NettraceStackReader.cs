using System.Buffers.Binary;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Stacks;

/// <summary>Handles an event with its stack: code addresses, leaf first. The span is valid only during the
/// callback.</summary>
/// <param name="time">CLOCK_MONOTONIC ns.</param>
internal delegate void StackHandler(EventKind kind, int tid, long time, ReadOnlySpan<byte> stack);

/// <summary>Reads the stacks of the events in a .nettrace file.</summary>
/// <remarks>Stack ids start again at sequence points; a stack's block precedes its events.</remarks>
internal sealed class NettraceStackReader
{
    private const int BlockHeaderBytes = 8;

    private readonly StackHandler _handler;
    private readonly ThreadIds? _threads;
    private readonly int _process;
    private readonly EventKinds _kinds = new();
    private readonly Dictionary<int, (NettraceBlock Block, int Offset, int Length)> _stacks = [];

    private NettraceStackReader(StackHandler handler, StreamBounds bounds) => (_handler, _threads, _process) = (handler, bounds.Threads, bounds.ProcessId);

    /// <summary>Delivers every event that has a stack, in the order of the file, which is the order of time only within
    /// a thread. For a cut or damaged file, delivers the events before the fault.</summary>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static void Read(string path, StreamBounds bounds, StackHandler handler, CancellationToken cancellation = default)
    {
        var reader = new NettraceStackReader(handler, bounds);
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
        for (var cursor = block.Cursor; cursor.Next();)
        {
            if (_stacks.TryGetValue(cursor.StackId, out var stack) && stack.Length > 0)
            {
                var (tid, time) = ((int)cursor.ThreadId, block.Clock.Nanoseconds(cursor.Ticks));
                if (block.Threads is { } threads)
                {
                    // An index refers to the same thread until the end of its block.
                    var thread = threads.Of(threads.Find((ulong)cursor.ThreadId).Thread);
                    tid = thread.Tid;
                    if (_process != StreamBounds.AnyProcess && thread.Pid != _process)
                    {
                        continue;
                    }
                }

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
