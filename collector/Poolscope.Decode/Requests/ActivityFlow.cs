namespace Poolscope.Decode.Requests;

/// <summary>The activities that each thread is still part of, by the activity ids that the runtime puts into every
/// event. An id made by EventSource is a path: the id of a nested activity extends the path of the outer one
/// (ActivityTracker.cs of System.Private.CoreLib).</summary>
internal sealed class ActivityFlow
{
    /// <summary>Bytes of an id that hold the path; the rest is a checksum.</summary>
    private const int PathBytes = 12;

    /// <summary>The most activities that can be nested on one thread: a path has no room for more steps.</summary>
    private const int MostNested = 2 * PathBytes;

    private readonly Dictionary<int, List<(int Row, Guid Flow)>> _at = [];

    /// <summary>Records that an activity begins on a thread. Returns the activities that are no longer tracked because
    /// the thread has more than can be nested.</summary>
    /// <param name="flow">Activity id of the start event; if empty, ids do not flow and the thread is not
    /// tracked.</param>
    public IReadOnlyList<int> Begins(int tid, int row, Guid flow)
    {
        if (flow == Guid.Empty)
        {
            return [];
        }

        if (!_at.TryGetValue(tid, out var rows))
        {
            _at[tid] = rows = [];
        }

        rows.Add((row, flow));
        if (rows.Count <= MostNested)
        {
            return [];
        }

        var oldest = rows[0].Row;
        rows.RemoveAt(0);
        return [oldest];
    }

    /// <summary>Records that an activity ends, on any thread.</summary>
    /// <param name="tid">The thread on which the activity began.</param>
    public void Ends(int tid, int row)
    {
        if (_at.TryGetValue(tid, out var rows) && rows.FindLastIndex(known => known.Row == row) is >= 0 and var at)
        {
            rows.RemoveAt(at);
        }
    }

    /// <summary>Records an event of a thread. Returns the activities that began on the thread and do not contain the
    /// event. From here on the thread may be doing something else.</summary>
    /// <param name="flow">Activity id of the event; empty if the event belongs to no activity.</param>
    public IReadOnlyList<int> Left(int tid, Guid flow)
    {
        if (!_at.TryGetValue(tid, out var rows))
        {
            return [];
        }

        List<int>? left = null;
        for (var at = rows.Count - 1; at >= 0; at--)
        {
            if (!Holds(rows[at].Flow, flow))
            {
                (left ??= []).Add(rows[at].Row);
                rows.RemoveAt(at);
            }
        }

        return left ?? [];
    }

    /// <summary>Records that a thread takes a work item. Returns all activities that began on the thread.</summary>
    public IReadOnlyList<int> TakesItem(int tid) => _at.Remove(tid, out var rows) ? rows.ConvertAll(known => known.Row) : [];

    /// <summary>Returns whether an id belongs to an activity or is nested in it. Ids that differ only in the second
    /// half of the last byte count as equal, so an activity may appear to be left later than it was.</summary>
    public static bool Holds(Guid outer, Guid inner)
    {
        Span<byte> one = stackalloc byte[16];
        Span<byte> other = stackalloc byte[16];
        _ = outer.TryWriteBytes(one) && inner.TryWriteBytes(other);
        var length = one[..PathBytes].LastIndexOfAnyExcept((byte)0) + 1;
        if (length == 0 || !one[..(length - 1)].SequenceEqual(other[..(length - 1)]))
        {
            return false;
        }

        // A step of a path may take half a byte; the first half is used first.
        var last = one[length - 1];
        return last == ((last & 0x0F) == 0 ? other[length - 1] & 0xF0 : other[length - 1]);
    }
}
