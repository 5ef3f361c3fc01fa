namespace Poolscope.PerfEvents.Format;

/// <summary>Names of the files that a scheduler recording leaves in its folder.</summary>
internal static class SchedulerFiles
{
    /// <summary>The records, in the format of `perf record`, which `perf` can read.</summary>
    internal const string Data = "sched.perf.data";

    /// <summary>The information that a reader needs if the recording was cut off.</summary>
    internal const string Meta = "sched.meta.json";
}
