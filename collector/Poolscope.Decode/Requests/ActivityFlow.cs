namespace Poolscope.Decode.Requests;

/// <summary>Which activities threads are still at, by the ids that the runtime gives every event. An id that EventSource makes is
/// a path: the one of an activity that begins within another one goes on where the outer one's ends (ActivityTracker.cs of
/// System.Private.CoreLib).</summary>
internal sealed class ActivityFlow
{
    /// <summary>Bytes of an id that hold the path; the rest is a sum over them.</summary>
    private const int PathBytes = 12;

    /// <summary>Activities inside each other on one thread: a path has no room for more steps.</summary>
    private const int MostNested = 2 * PathBytes;

    private readonly Dictionary<int, List<(int Row, Guid Flow)>> _at = [];

    /// <summary>An activity begins on a thread. Returns those that are no longer looked at because there are more than can be
    /// inside each other.</summary>
    /// <param name="flow">Id of the event that says so; empty: ids do not flow, and nothing is told of the thread.</param>
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

    /// <summary>It ends, on whatever thread.</summary>
    /// <param name="tid">On which it began.</param>
    public void Ends(int tid, int row)
    {
        if (_at.TryGetValue(tid, out var rows) && rows.FindLastIndex(known => known.Row == row) is >= 0 and var at)
        {
            rows.RemoveAt(at);
        }
    }

    /// <summary>A thread tells of something. Returns the activities that began on it and that this is no part of: from here
    /// on the thread is not known to be theirs.</summary>
    /// <param name="flow">Empty: it is at none.</param>
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

    /// <summary>A thread takes a work item. Returns all activities that began on it.</summary>
    public IReadOnlyList<int> TakesItem(int tid) => _at.Remove(tid, out var rows) ? rows.ConvertAll(known => known.Row) : [];

    /// <summary>Whether an id is that of an activity or of something within it. Ids that differ in the second half of the last
    /// byte alone are taken for one: then an activity is left later than it was.</summary>
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

        // A step of a path may take half a byte, the first half first.
        var last = one[length - 1];
        return last == ((last & 0x0F) == 0 ? other[length - 1] & 0xF0 : other[length - 1]);
    }
}
