using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Script;

/// <summary>Makes a perf.data file from the scheduler events in another kind of file.</summary>
public static class SchedulerFile
{
    public const int ClockMonotonic = 1;
    public const int ClockMonotonicRaw = 4;

    /// <param name="path">Path of the new file.</param>
    /// <param name="clock">The clock of the times: <see cref="ClockMonotonic"/> or
    /// <see cref="ClockMonotonicRaw"/>.</param>
    /// <param name="events">Sends the events to its argument, nearly in order of time. Stacks of samples are not
    /// kept.</param>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public static void Write(string path, int clock, Action<ISchedulerEvents> events)
    {
        ArgumentNullException.ThrowIfNull(events);
        using var sink = new ScriptToPerfData(path, clock);
        events(sink);
        sink.Complete();
    }
}
