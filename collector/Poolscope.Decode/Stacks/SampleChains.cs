using System.Runtime.InteropServices;
using Poolscope.Tables;

namespace Poolscope.Decode.Stacks;

/// <summary>Call chains of the target's CPU samples, kept until the names of their addresses have been read.</summary>
internal sealed class SampleChains
{
    private readonly List<(int Row, long Time, int First, int Count)> _chains = [];
    private readonly List<ulong> _addresses = [];

    /// <param name="row">Row of table `cpu_samples`.</param>
    /// <param name="chain">The call chain, leaf first; empty if the sample has none.</param>
    public void Add(int row, long time, ReadOnlySpan<ulong> chain)
    {
        if (!chain.IsEmpty)
        {
            _chains.Add((row, time, _addresses.Count, chain.Length));
            _addresses.AddRange(chain);
        }
    }

    /// <summary>Sets the stack of each sample.</summary>
    /// <param name="column">The column cpu_samples.stack.</param>
    public void Apply(StackTables stacks, Column<int> column)
    {
        var addresses = CollectionsMarshal.AsSpan(_addresses);
        foreach (var (row, time, first, count) in _chains)
        {
            column[row] = stacks.Intern(MemoryMarshal.AsBytes(addresses.Slice(first, count)), time);
        }
    }
}
