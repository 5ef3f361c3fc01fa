using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Finds out whether a recording tells of all threads of the machine, as it must: a thread's return to a CPU is reported by the
/// thread that leaves it, of whichever process.</summary>
internal sealed class SwitchCoverage : ISchedulerEvents
{
    // In what is whole, threads that came and never left are those that run at its end. Some come unseen, or in a gap.
    private const int MostThatStay = 4;
    private const double ShareThatStays = 0.05;

    private readonly Dictionary<int, (long Came, long Left)> _threads = [];
    private readonly Dictionary<int, int> _current = []; // by CPU
    private long _switches;
    private long _unseen;

    /// <summary>Share of the switches before which another one was not reported: another thread leaves than came last.</summary>
    internal double UnseenShare => _switches == 0 ? 0 : (double)_unseen / _switches;

    /// <summary>Whether threads other than some were left out, when the file was recorded or when it was printed.</summary>
    /// <param name="wasOfAll">perf was told to record all.</param>
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
