using Poolscope.Decode.Scheduler;
using Poolscope.Tables;
using ThreadState = Poolscope.Decode.Scheduler.ThreadState;

namespace Poolscope.Decode.Schedstat;

/// <summary>Fills `threads` and `thread_states` from polled counters. Call <see cref="Add"/>, then
/// <see cref="Finish"/>.</summary>
/// <param name="pid">The process whose threads were polled.</param>
internal sealed class SchedstatTables(int pid)
{
    private readonly Dictionary<int, PolledThread> _living = [];
    private readonly List<PolledThread> _all = [];

    /// <summary>Table `threads`, by thread id and birth. Complete after <see cref="Finish"/>.</summary>
    public Table Threads { get; } = Table.Create("threads");

    /// <summary>Table `thread_states`, by thread id and start. Complete after <see cref="Finish"/>.</summary>
    public Table ThreadStates { get; } = Table.Create("thread_states");

    public void Add(in SchedstatRecord record)
    {
        switch (record.Kind)
        {
            case SchedstatRecordKind.Reading:
                Living(record.Tid, -1).Read(record);
                break;
            case SchedstatRecordKind.Born:
                _living.Remove(record.Tid); // only a damaged file has one here
                Living(record.Tid, record.PreviousNs).Read(record);
                break;
            case SchedstatRecordKind.Ended when _living.Remove(record.Tid, out var thread):
                thread.Ended(record);
                break;
            case SchedstatRecordKind.Name when _living.TryGetValue(record.Tid, out var thread):
                thread.Name = record.Name;
                break;
        }
    }

    /// <param name="end">Last polled moment, ns.</param>
    public void Finish(long end)
    {
        var rows = new StateRows(ThreadStates, StateOrigin.Schedstat);
        foreach (var thread in _all.OrderBy(thread => thread.Tid).ThenBy(thread => thread.Start))
        {
            thread.Finish(end);
            Threads.Int32("tid").Add(thread.Tid);
            Threads.Int32("pid").Add(pid);
            Threads.String("name").Add(thread.Name);
            Threads.Int64("start").Add(thread.Start);
            Threads.Int64("end").Add(thread.End);
            AddStates(rows, thread);
        }
    }

    /// <summary>Writes the states, and merges neighbours of the same state into one row with the largest of their
    /// uncertainties.</summary>
    private static void AddStates(StateRows rows, PolledThread thread)
    {
        (long Start, long End, ThreadState State, long Resolution)? open = null;
        foreach (var next in thread.States())
        {
            if (open is { } same && same.State == next.State)
            {
                open = same with { End = next.End, Resolution = Math.Max(same.Resolution, next.Resolution) };
                continue;
            }

            Close(rows, thread.Tid, open);
            open = next;
        }

        Close(rows, thread.Tid, open);
    }

    private static void Close(StateRows rows, int tid, (long Start, long End, ThreadState State, long Resolution)? row)
    {
        if (row is { } whole)
        {
            rows.Add(tid, whole.Start, whole.End, whole.State, whole.Resolution);
        }
    }

    private PolledThread Living(int tid, long start)
    {
        if (!_living.TryGetValue(tid, out var thread))
        {
            thread = new PolledThread(tid, start);
            _living.Add(tid, thread);
            _all.Add(thread);
        }

        return thread;
    }
}
