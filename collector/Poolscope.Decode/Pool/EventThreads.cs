using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>Table `threads` for captures without a kernel stream: threads of the target that wrote a managed event. Their
/// kernel names are unknown, and so are the threads of every other process.</summary>
internal sealed class EventThreads
{
    private readonly Dictionary<int, long> _created = [];

    /// <summary>A thread wrote an event, whenever it was created.</summary>
    public void Seen(int tid) => _created.TryAdd(tid, -1);

    public void Created(long time, int tid) => _created[tid] = time;

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
