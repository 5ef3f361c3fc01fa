using System.Globalization;

namespace Poolscope.Workloads.Experiments;

/// <summary>The kernel scheduler's counts for this process's live threads, summed. Pool threads live on for 20 s after
/// their last item, so two readings around a run miss none of them.</summary>
/// <param name="Cpu">Time on a core.</param>
/// <param name="Ready">Time runnable without a core.</param>
/// <param name="Switches">Times that a thread lost its core although it could have continued.</param>
internal sealed record SchedulerCost(TimeSpan Cpu, TimeSpan Ready, long Switches)
{
    private const string Tasks = "/proc/self/task";
    private const string SwitchLine = "nonvoluntary_ctxt_switches:";

    /// <returns>Null if this system has no such counts.</returns>
    public static SchedulerCost? Read()
    {
        if (!Directory.Exists(Tasks))
        {
            return null;
        }

        long cpu = 0, ready = 0, switches = 0;
        foreach (var task in Directory.EnumerateDirectories(Tasks))
        {
            try
            {
                // Time on a core in ns, time on the run queue in ns, slices.
                var fields = File.ReadAllText(Path.Combine(task, "schedstat")).Split(' ');
                cpu += Number(fields[0]);
                ready += Number(fields[1]);
                switches += File.ReadLines(Path.Combine(task, "status"))
                    .Where(l => l.StartsWith(SwitchLine, StringComparison.Ordinal)).Sum(l => Number(l[SwitchLine.Length..]));
            }
            catch (IOException)
            {
                // The thread has ended since it was listed.
            }
        }

        return new SchedulerCost(Nanoseconds(cpu), Nanoseconds(ready), switches);
    }

    public static SchedulerCost operator -(SchedulerCost later, SchedulerCost earlier) =>
        new(later.Cpu - earlier.Cpu, later.Ready - earlier.Ready, later.Switches - earlier.Switches);

    private static long Number(string text) => long.Parse(text, NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);

    private static TimeSpan Nanoseconds(long value) => TimeSpan.FromTicks(value / TimeSpan.NanosecondsPerTick);
}
