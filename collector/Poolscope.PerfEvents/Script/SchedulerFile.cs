using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Script;

/// <summary>Makes a perf.data file of the scheduler's events that another kind of file shows.</summary>
public static class SchedulerFile
{
    public const int ClockMonotonic = 1;
    public const int ClockMonotonicRaw = 4;

    /// <param name="path">New file.</param>
    /// <param name="clock">That times are of: <see cref="ClockMonotonic"/> or <see cref="ClockMonotonicRaw"/>.</param>
    /// <param name="events">Tells them, nearly in order of time. Stacks of samples are not kept.</param>
    /// <exception cref="IOException">It cannot be written.</exception>
    public static void Write(string path, int clock, Action<ISchedulerEvents> events)
    {
        ArgumentNullException.ThrowIfNull(events);
        using var sink = new ScriptToPerfData(path, clock);
        events(sink);
        sink.Complete();
    }
}
