using System.Buffers.Binary;
using Poolscope.Tables;

namespace Poolscope.Decode.Stacks;

/// <summary>Tables `stacks` and `frames`: every stack is a node of one prefix tree, so that stacks share what they have in
/// common from the thread's start on.</summary>
internal sealed class StackTables
{
    private const int Root = -1;
    private const int AddressBytes = sizeof(ulong);

    private readonly MethodMap _methods;
    private readonly Dictionary<(ulong Address, bool Leaf), int> _frameAt = [];
    private readonly Dictionary<MethodName, int> _frameOf = [];
    private readonly Dictionary<(int Parent, int Frame), int> _nodeOf = [];
    private readonly Column<int> _id;
    private readonly Column<int> _parent;
    private readonly Column<int> _frame;
    private readonly StringColumn _method;
    private readonly StringColumn _module;
    private readonly Column<byte> _resolved;
    private int _unresolved = -1;

    /// <param name="methods">Complete: a name that comes later is not looked up again.</param>
    public StackTables(MethodMap methods)
    {
        _methods = methods;
        _id = Stacks.Int32("id");
        _parent = Stacks.Int32("parent");
        _frame = Stacks.Int32("frame");
        _method = Frames.String("method");
        _module = Frames.String("module");
        _resolved = Frames.Enum("resolved");
    }

    public Table Stacks { get; } = Table.Create("stacks");

    public Table Frames { get; } = Table.Create("frames");

    /// <summary>The stack's node.</summary>
    /// <param name="addresses">Eight bytes each, leaf first. At least one.</param>
    public int Intern(ReadOnlySpan<byte> addresses)
    {
        var node = Root;
        for (var at = (addresses.Length / AddressBytes) - 1; at >= 0; at--)
        {
            var address = BinaryPrimitives.ReadUInt64LittleEndian(addresses[(at * AddressBytes)..]);
            node = Node(node, Frame(address, leaf: at == 0));
        }

        return node;
    }

    /// <summary>The node of a stack whose names are known already.</summary>
    /// <param name="methods">Leaf first, null where unresolved. At least one.</param>
    public int Intern(IReadOnlyList<MethodName?> methods)
    {
        var node = Root;
        for (var at = methods.Count - 1; at >= 0; at--)
        {
            node = Node(node, Frame(methods[at]));
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

    private int Frame(ulong address, bool leaf)
    {
        if (_frameAt.TryGetValue((address, leaf), out var frame))
        {
            return frame;
        }

        // A caller's address is where the call returns to, which may lie just behind the method when the call never does.
        frame = Frame(_methods.Find(leaf ? address : address - 1));
        _frameAt.Add((address, leaf), frame);
        return frame;
    }

    private int Frame(MethodName? method)
    {
        if (method is null)
        {
            return _unresolved < 0 ? _unresolved = Add(null, null, resolved: false) : _unresolved;
        }

        if (!_frameOf.TryGetValue(method, out var frame))
        {
            frame = Add(method.Name, method.Module, resolved: true);
            _frameOf.Add(method, frame);
        }

        return frame;
    }

    private int Add(string? method, string? module, bool resolved)
    {
        _method.Add(method);
        _module.Add(module);
        _resolved.Add(resolved ? (byte)1 : (byte)0);
        return _resolved.Count - 1;
    }
}
