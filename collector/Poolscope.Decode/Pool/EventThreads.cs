using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>Table `threads` for captures without a kernel stream: the target's threads that wrote a managed event.
/// Their kernel names are unknown, and so are the threads of all other processes.</summary>
internal sealed class EventThreads
{
    private const int Recent = 64; // a power of two

    private readonly Dictionary<int, long> _created = [];

    // Recently seen threads, so that most events cost only one comparison. No thread has id 0.
    private readonly int[] _seen = new int[Recent];

    /// <summary>Records that a thread wrote an event.</summary>
    public void Seen(int tid)
    {
        ref var slot = ref _seen[tid & (Recent - 1)];
        if (slot != tid || tid == 0)
        {
            slot = tid;
            _created.TryAdd(tid, -1);
        }
    }

    public void Created(long time, int tid) => _created[tid] = time;

    /// <summary>Returns whether a thread wrote an event but was not created during the recording.</summary>
    public bool LivedBefore(int tid) => _created.TryGetValue(tid, out var created) && created < 0;

    public Table ToTable(int pid)
    {
        var table = Table.Create("threads");
        var (tids, pids, names) = (table.Int32("tid"), table.Int32("pid"), table.String("name"));
        var (starts, ends) = (table.Int64("start"), table.Int64("end"));
        foreach (var (tid, start) in _created.OrderBy(t => t.Key))
        {
            tids.Add(tid);
            pids.Add(pid);
            names.Add(null);
            starts.Add(start);
            ends.Add(-1);
        }

        return table;
    }
}
