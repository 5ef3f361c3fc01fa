namespace Poolscope.PerfEvents.Format;

/// <summary>Names of the files that a recording of the scheduler leaves in its folder.</summary>
internal static class SchedulerFiles
{
    /// <summary>What `perf record` writes, for `perf` to read.</summary>
    internal const string Data = "sched.perf.data";

    /// <summary>What of it is needed where a recording was cut.</summary>
    internal const string Meta = "sched.meta.json";
}
