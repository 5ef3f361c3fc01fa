using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Poolscope.Etw.Reading;

/// <summary>A set of stacks of addresses. Stacks share their common outer addresses, so a place where threads block
/// again and again costs its addresses once.</summary>
internal sealed class AddressTree
{
    /// <summary>The number that stands for no stack.</summary>
    public const int None = -1;

    // Higher addresses are the kernel's. Nothing in a trace names its functions.
    private const ulong UserEnd32 = 0x8000_0000;
    private const ulong UserEnd64 = 0x0000_8000_0000_0000;

    private readonly Dictionary<(int Caller, ulong Address), int> _nodeOf = [];
    private readonly List<(int Caller, ulong Address)> _nodes = [];
    private readonly List<ulong> _addresses = [];

    /// <summary>Adds a stack and returns its number.</summary>
    /// <param name="stack">Addresses, innermost first.</param>
    /// <param name="width">Size of an address, bytes: 4 or 8.</param>
    /// <returns><see cref="None"/> if no address is of user mode.</returns>
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

    /// <summary>Returns the addresses of a stack, innermost first. Valid until the next call.</summary>
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
