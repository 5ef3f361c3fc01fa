using System.Globalization;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Watching;

/// <summary>Reads how long threads of a process were ready to run and had no core. The kernel counts this time for each
/// thread: run_delay, the second number of /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). The
/// kernel adds a wait when it ends.</summary>
internal sealed class ReadyReadings(ProcFs proc, int pid)
{
    /// <summary>The time between readings, in ns. A reading costs some five microseconds a thread.</summary>
    public const long BeatNs = 500_000_000;

    private Dictionary<int, long> _before = [];
    private long _readAt = long.MinValue;
    private long _latest = -1;

    /// <param name="nowNs">The time in CLOCK_MONOTONIC ns.</param>
    /// <returns>The longest time, in ns, for which a thread was ready between the last two readings. -1 if unknown:
    /// there were no two readings, or the kernel does not show it.</returns>
    public long Latest(long nowNs)
    {
        if (_readAt == long.MinValue || nowNs - _readAt >= BeatNs)
        {
            _readAt = nowNs;
            Read();
        }

        return _latest;
    }

    private void Read()
    {
        var now = new Dictionary<int, long>();
        var longest = -1L;
        foreach (var tid in proc.ThreadsOf(pid))
        {
            if (proc.ReadText($"/proc/{pid}/task/{tid}/schedstat")?.Split(' ') is [_, var delay, ..]
                && long.TryParse(delay, NumberStyles.None, CultureInfo.InvariantCulture, out var ns))
            {
                now[tid] = ns;

                // All time of a new thread counts. An id that a later thread has again shows less than before.
                var grown = _before.Count == 0 ? -1 : ns - _before.GetValueOrDefault(tid);
                longest = Math.Max(longest, grown < 0 && _before.Count > 0 ? ns : grown);
            }
        }

        (_before, _latest) = (now, longest);
    }
}
