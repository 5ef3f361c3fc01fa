using System.Buffers.Binary;
using Poolscope.Tables;

namespace Poolscope.Decode.Stacks;

/// <summary>Tables `stacks` and `frames`. Every stack is a node of one prefix tree, so stacks share their common frames
/// from the thread's start.</summary>
internal sealed class StackTables
{
    private const int Root = -1;
    private const int AddressBytes = sizeof(ulong);

    private readonly FrameNames _names;
    private readonly Dictionary<(ulong Address, bool Leaf), int> _frameAt = [];
    private readonly Dictionary<Frame, int> _frameOf = [];
    private readonly Dictionary<(int Parent, int Frame), int> _nodeOf = [];
    private readonly Column<int> _id;
    private readonly Column<int> _parent;
    private readonly Column<int> _frame;
    private readonly StringColumn _method;
    private readonly StringColumn _module;
    private readonly Column<byte> _resolved;
    private readonly StringColumn _file;
    private readonly Column<int> _line;
    private readonly Column<byte> _lineIs;

    /// <param name="methods">The complete method map; the tables ignore names that arrive later.</param>
    public StackTables(MethodMap methods)
        : this(new FrameNames(methods, native: null, lines: null))
    {
    }

    public StackTables(FrameNames names)
    {
        _names = names;
        _id = Stacks.Int32("id");
        _parent = Stacks.Int32("parent");
        _frame = Stacks.Int32("frame");
        _method = Frames.String("method");
        _module = Frames.String("module");
        _resolved = Frames.Enum("resolved");
        _file = Frames.String("file");
        _line = Frames.Int32("line");
        _lineIs = Frames.Enum("line_is");
    }

    public Table Stacks { get; } = Table.Create("stacks");

    public Table Frames { get; } = Table.Create("frames");

    /// <summary>Returns the node of a stack.</summary>
    /// <param name="addresses">Addresses of eight bytes each, leaf first; at least one.</param>
    /// <param name="time">The time at which the thread was there, CLOCK_MONOTONIC ns; by default the end of the
    /// capture.</param>
    public int Intern(ReadOnlySpan<byte> addresses, long time = long.MaxValue)
    {
        var node = Root;
        for (var at = (addresses.Length / AddressBytes) - 1; at >= 0; at--)
        {
            var address = BinaryPrimitives.ReadUInt64LittleEndian(addresses[(at * AddressBytes)..]);
            node = Node(node, FrameAt(address, leaf: at == 0, time));
        }

        return node;
    }

    /// <summary>Returns the node of a stack with known names.</summary>
    /// <param name="frames">The frames, leaf first; at least one.</param>
    public int Intern(IReadOnlyList<Frame> frames)
    {
        var node = Root;
        for (var at = frames.Count - 1; at >= 0; at--)
        {
            node = Node(node, Row(frames[at]));
        }

        return node;
    }

    private int Node(int parent, int frame)
    {
        if (!_nodeOf.TryGetValue((parent, frame), out var node))
        {
            node = _id.Count;
            _nodeOf.Add((parent, frame), node);
            _id.Add(node);
            _parent.Add(parent);
            _frame.Add(frame);
        }

        return node;
    }

    private int FrameAt(ulong address, bool leaf, long time)
    {
        if (_frameAt.TryGetValue((address, leaf), out var row))
        {
            return row;
        }

        // A caller's address is the return address, which may be just behind the method if the call never returns.
        var frame = _names.Find(leaf ? address : address - 1, time, out var always);
        row = Row(frame);
        if (always)
        {
            _frameAt.Add((address, leaf), row);
        }

        return row;
    }

    private int Row(Frame frame)
    {
        if (!_frameOf.TryGetValue(frame, out var row))
        {
            row = Add(frame);
            _frameOf.Add(frame, row);
        }

        return row;
    }

    private int Add(Frame frame)
    {
        _method.Add(frame.Method);
        _module.Add(frame.Module);
        _resolved.Add((byte)frame.Known);
        _file.Add(frame.Line?.File);
        _line.Add(frame.Line?.Line ?? -1);
        _lineIs.Add(frame.Line is not { } line ? (byte)0 : line.Exact ? (byte)1 : (byte)2);
        return _resolved.Count - 1;
    }
}
