using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Poolscope.Etw.Reading;

/// <summary>Stacks of addresses. Those that begin alike share what they have in common, so that a place where threads block again
/// and again costs its addresses once.</summary>
internal sealed class AddressTree
{
    /// <summary>No stack.</summary>
    public const int None = -1;

    // Above are the kernel's, whose functions nothing in a trace names.
    private const ulong UserEnd32 = 0x8000_0000;
    private const ulong UserEnd64 = 0x0000_8000_0000_0000;

    private readonly Dictionary<(int Caller, ulong Address), int> _nodeOf = [];
    private readonly List<(int Caller, ulong Address)> _nodes = [];
    private readonly List<ulong> _addresses = [];

    /// <summary>The stack's number.</summary>
    /// <param name="stack">Innermost address first.</param>
    /// <param name="width">Of an address, bytes: 4 or 8.</param>
    /// <returns><see cref="None"/>: no address is of user mode.</returns>
    public int Intern(ReadOnlySpan<byte> stack, int width)
    {
        var node = None;
        for (var at = (stack.Length / width) - 1; at >= 0; at--)
        {
            var address = width == sizeof(ulong)
                ? BinaryPrimitives.ReadUInt64LittleEndian(stack[(at * width)..])
                : BinaryPrimitives.ReadUInt32LittleEndian(stack[(at * width)..]);
            if (address != 0 && address < (width == sizeof(ulong) ? UserEnd64 : UserEnd32))
            {
                node = Node(node, address);
            }
        }

        return node;
    }

    /// <summary>The addresses of a stack, innermost first. Valid until the next call.</summary>
    public ReadOnlySpan<ulong> Addresses(int node)
    {
        _addresses.Clear();
        for (; node != None; node = _nodes[node].Caller)
        {
            _addresses.Add(_nodes[node].Address);
        }

        return CollectionsMarshal.AsSpan(_addresses);
    }

    private int Node(int caller, ulong address)
    {
        ref var node = ref CollectionsMarshal.GetValueRefOrAddDefault(_nodeOf, (caller, address), out var known);
        if (!known)
        {
            node = _nodes.Count;
            _nodes.Add((caller, address));
        }

        return node;
    }
}
