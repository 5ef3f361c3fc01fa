using System.Runtime.InteropServices;

namespace Poolscope.Decode.WorkItems;

/// <summary>Rows of items that are enqueued and not dequeued, first in first out per work id. A work id is a hash code,
/// so several items may be open with the same one. Nearly always there is only one, and only further ones cost a
/// link.</summary>
internal sealed class OpenItems
{
    private const int None = -1;

    private readonly Dictionary<long, Chain> _chains = [];
    private readonly Dictionary<int, int> _next = [];

    /// <summary>All open rows.</summary>
    public IEnumerable<int> Rows => _chains.Values.SelectMany(c => From(c.Head));

    /// <returns>The youngest row that was already open with the id; -1 if none.</returns>
    public int Add(long workId, int row)
    {
        ref var chain = ref CollectionsMarshal.GetValueRefOrAddDefault(_chains, workId, out var exists);
        var before = exists ? chain.Tail : None;
        if (exists)
        {
            _next.Add(before, row);
            chain.Tail = row;
        }
        else
        {
            chain = new Chain { Head = row, Tail = row };
        }

        return before;
    }

    /// <summary>Removes and returns the oldest row of a work id.</summary>
    public bool TryTake(long workId, out int row)
    {
        if (!_chains.Remove(workId, out var chain))
        {
            row = None;
            return false;
        }

        row = chain.Head;
        if (_next.Remove(row, out var next))
        {
            _chains.Add(workId, chain with { Head = next });
        }

        return true;
    }

    /// <returns>The oldest open row of a work id; -1 if none.</returns>
    public int Oldest(long workId) => _chains.TryGetValue(workId, out var chain) ? chain.Head : None;

    /// <summary>Returns the open rows of a work id, oldest first.</summary>
    public IEnumerable<int> Of(long workId) => From(Oldest(workId));

    public bool Contains(long workId, int row) => Of(workId).Contains(row);

    public bool Remove(long workId, int row)
    {
        ref var chain = ref CollectionsMarshal.GetValueRefOrNullRef(_chains, workId);
        if (System.Runtime.CompilerServices.Unsafe.IsNullRef(ref chain))
        {
            return false;
        }

        var before = None;
        var at = chain.Head;
        while (at != None && at != row)
        {
            (before, at) = (at, Next(at));
        }

        if (at == None)
        {
            return false;
        }

        if (chain.Head == chain.Tail)
        {
            _chains.Remove(workId);
            return true;
        }

        var after = Next(row);
        _next.Remove(row);
        if (before == None)
        {
            chain.Head = after;
        }
        else if (after == None)
        {
            _next.Remove(before);
        }
        else
        {
            _next[before] = after;
        }

        if (after == None)
        {
            chain.Tail = before;
        }

        return true;
    }

    /// <summary>Replaces an open row by another one in the same place.</summary>
    public void Replace(long workId, int row, int by)
    {
        ref var chain = ref CollectionsMarshal.GetValueRefOrNullRef(_chains, workId);
        foreach (var other in Of(workId))
        {
            if (Next(other) == row)
            {
                _next[other] = by;
                break;
            }
        }

        if (_next.Remove(row, out var after))
        {
            _next.Add(by, after);
        }

        chain.Head = chain.Head == row ? by : chain.Head;
        chain.Tail = chain.Tail == row ? by : chain.Tail;
    }

    private int Next(int row) => _next.TryGetValue(row, out var next) ? next : None;

    private IEnumerable<int> From(int row)
    {
        for (var at = row; at != None; at = Next(at))
        {
            yield return at;
        }
    }

    private struct Chain
    {
        public int Head;
        public int Tail;
    }
}
