using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Finds out whether a recording covers all threads of the machine. It must, because a thread's return to a
/// CPU is reported by the thread that leaves it, which may be of any process.</summary>
internal sealed class SwitchCoverage : ISchedulerEvents
{
    // In a complete recording, the threads that came and never left are those that run at its end. For a few others, a
    // switch is missing, for example in a gap.
    private const int MostThatStay = 4;
    private const double ShareThatStays = 0.05;

    private readonly Dictionary<int, (long Came, long Left)> _threads = [];
    private readonly Dictionary<int, int> _current = []; // by CPU
    private long _switches;
    private long _unseen;

    /// <summary>The share of the switches before which another one was not reported: the leaving thread is not the one
    /// that came last.</summary>
    internal double UnseenShare => _switches == 0 ? 0 : (double)_unseen / _switches;

    /// <summary>Returns whether the file has only some threads, because perf recorded or printed only those.</summary>
    /// <param name="wasOfAll">True if perf's command line asked for all processes.</param>
    internal bool IsOfSome(bool wasOfAll)
    {
        var idle = _threads.GetValueOrDefault(0);
        var stayed = _threads.Where(thread => thread.Key != 0 && thread.Value.Left == 0).Select(thread => thread.Value.Came).ToList();
        var came = _threads.Where(thread => thread.Key != 0).Sum(thread => thread.Value.Came);
        var othersStay = stayed.Count > _current.Count + MostThatStay && stayed.Sum() > ShareThatStays * came;
        return othersStay || (!wasOfAll && idle.Left == 0 && (idle.Came > 0 || stayed.Count > _current.Count));
    }

    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
        _switches++;
        _unseen += _current.TryGetValue(cpu, out var last) && last != prevTid ? 1 : 0;
        _current[cpu] = nextTid;
        var left = _threads.GetValueOrDefault(prevTid);
        _threads[prevTid] = left with { Left = left.Left + 1 };
        var came = _threads.GetValueOrDefault(nextTid);
        _threads[nextTid] = came with { Came = came.Came + 1 };
    }
}
