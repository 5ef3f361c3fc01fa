using Poolscope.Decode.Manifest;

namespace Poolscope.Decode.Import;

/// <summary>What a capture that was made of other tools' files cannot tell, and how to record so that it can.</summary>
internal static class ForeignGaps
{
    // The line itself is longer than a page shows a word.
    private const string Again = "Record again with the line that this prints: poolscope-collect recipe dotnet-trace";

    private const string OnNewer = "Record the program on .NET 8 or newer";

    /// <summary>From .NET 6 on the pool is the one whose rules Poolscope knows; before, the runtime had one in native code.</summary>
    private const int FirstWithManagedPool = 6;

    public static IEnumerable<Refusal> Of(ForeignRecording recording)
    {
        var contents = recording.Contents;
        if (contents.WorkItems == 0)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "work items",
                "the file holds none of their events: FrameworkEventSource was not recorded, or nothing was queued to the pool",
                Again);
        }

        if (contents.NamesItemsByAddress)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "stable ids",
                "this runtime names a work item by its address, which a garbage collection changes: items may be joined wrongly or not at all",
                OnNewer);
        }

        if (contents.Runtime is { Major: < FirstWithManagedPool } && !contents.IsFramework)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "a known pool",
                "this .NET is older than 6 and has another thread pool, in native code, whose rules are not known here",
                OnNewer);
        }

        if (contents.PoolEvents == 0)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "worker threads and the pool's goal",
                "the file holds none of their events: the runtime's own provider was recorded without its keyword Threading (0x10000), or the pool did not change",
                Again);
        }

        if (!contents.HasRundown)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "names of methods",
                "the file lists no methods: its recording did not end in order, or --rundown false left them out",
                "Let dotnet-trace come to its end: by --duration, or by Enter or Ctrl-C and some seconds");
        }

        if (recording.Perf is null)
        {
            yield return new Refusal(
                "sched.perf.data",
                "what the kernel did with the threads",
                "a .nettrace file holds the runtime's events alone",
                contents.Os is "Linux" or "" ? "Record perf beside it: poolscope-collect recipe perf" : "Record with PerfView instead: poolscope-collect recipe perfview");
        }
        else if (!recording.Perf.HasWakeups)
        {
            yield return new Refusal(
                "sched.perf.data",
                "who woke threads",
                "neither sched_waking nor sched_wakeup was recorded",
                "Record as this prints: poolscope-collect recipe perf");
        }

        yield return new Refusal(
            "manifest",
            "the process's configuration",
            "another tool recorded it: CPU quota, affinity and the pool's configured limits are not known, but for what the runtime's events tell",
            "Record with Poolscope: poolscope-collect collect -p PID");
    }
}
