using System.Diagnostics;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>Finds CPUs whose idle task fires no tracepoints. This happened on a virtual machine resumed from a
/// snapshot: on one of two CPUs, neither perf nor ftrace traced anything while the idle task was current. So every
/// switch from idle to a thread was missing. Some old threads were just as silent, so one such CPU is reason enough to
/// distrust all.</summary>
internal static unsafe class IdleProbe
{
    private const int Sleeps = 3;

    // A busy CPU may not idle while a thread sleeps for a millisecond. So the probe repeats, for at most a tenth of a
    // second.
    private const int Rounds = 20;

    // A CPU is silent if it went idle this often without a reported return from idle.
    private const int Proof = 3;

    private const int ThreadStackBytes = 64 << 10;

    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(100);

    /// <summary>Lets a thread sleep briefly on each CPU and counts how often the idle task handed the CPU
    /// over.</summary>
    /// <returns>CPUs without a handover, including those that did not idle or on which this process may not
    /// run.</returns>
    internal static IReadOnlyList<int> SilentCpus(Tracefs tracefs, IReadOnlyList<int> cpus)
    {
        using var handovers = new OpenEvent(SchedulerEvents.Tracepoint(tracefs, "sched_switch"), cpus);
        using var idlings = new OpenEvent(SchedulerEvents.Tracepoint(tracefs, "sched_switch"), cpus);
        handovers.Filter("prev_pid == 0");
        idlings.Filter("next_pid == 0");
        handovers.Enable();
        idlings.Enable();
        var clock = Stopwatch.StartNew();
        for (var round = 0; round < Rounds && clock.Elapsed < Longest; round++)
        {
            var threads = cpus.Select(cpu => new Thread(() => SleepOn(cpu), ThreadStackBytes) { IsBackground = true }).ToList();
            threads.ForEach(t => t.Start());
            threads.ForEach(t => t.Join());
            if (cpus.All(cpu => handovers.Hits(cpu) > 0 || idlings.Hits(cpu) >= Proof))
            {
                break;
            }
        }

        handovers.Disable();
        idlings.Disable();
        return [.. cpus.Where(cpu => handovers.Hits(cpu) == 0)];
    }

    private static void SleepOn(int cpu)
    {
        const int bitsPerWord = 64;
        var words = (cpu / bitsPerWord) + 1;
        var mask = stackalloc ulong[words];
        new Span<ulong>(mask, words).Clear();
        mask[cpu / bitsPerWord] = 1UL << (cpu % bitsPerWord);
        if (Libc.SetAffinity(0, (nuint)words * sizeof(ulong), mask) != 0)
        {
            return; // outside our cpuset
        }

        for (var i = 0; i < Sleeps; i++)
        {
            Thread.Sleep(1);
        }
    }
}
