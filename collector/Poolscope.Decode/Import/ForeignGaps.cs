using System.Globalization;
using Poolscope.Decode.Manifest;
using Poolscope.PerfEvents;
using Poolscope.PerfEvents.Script;

namespace Poolscope.Decode.Import;

/// <summary>Lists what a capture made from other tools' files lacks, and how to record it.</summary>
internal static class ForeignGaps
{
    // The command itself is too long for a page to show as one word.
    private const string Again = "Record again with the line that this prints: poolscope recipe dotnet-trace";

    private const string OnNewer = "Record the program on .NET 8 or newer";

    /// <summary>Poolscope knows the rules of the pool from .NET 6 on; before, the runtime's pool was native
    /// code.</summary>
    private const int FirstWithManagedPool = 6;

    /// <summary>The largest share of unseen switches that needs no note: the report shows them as gaps.</summary>
    private const double MostUnseen = 0.005;

    public static IEnumerable<Refusal> Of(ForeignRecording recording)
    {
        var contents = recording.Contents;
        if (contents.WorkItems == 0)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "work items",
                contents.CountedItems > 0
                    ? "the file holds none of their events: FrameworkEventSource was not recorded (keyword ThreadPool, level Verbose), although by the runtime's counters items ran"
                    : "the file holds none of their events: FrameworkEventSource was not recorded (keyword ThreadPool, level Verbose), or nothing was queued to the pool",
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

        if (contents.Runtime is null && contents.Survey is null)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "the runtime's version",
                "the file does not say which .NET it is of; before .NET 6 the pool is another one, in native code, whose rules are not known here",
                "Let dotnet-trace come to its end, so that it records a rundown, or record on .NET 8 or newer");
        }

        if (contents.PoolEvents == 0)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "worker threads and the pool's goal",
                "the file holds none of their events: the runtime's own provider was recorded without its keyword Threading (0x10000), or the pool did not change",
                Again);
        }

        if (contents.Survey is { } survey)
        {
            foreach (var gap in OfSeveral(contents, survey))
            {
                yield return gap;
            }
        }
        else if (!contents.HasRundown)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "names of methods",
                "the file lists no methods: its recording did not end in order, or --rundown false left them out",
                "Let dotnet-trace come to its end: by --duration, or by Enter or Ctrl-C and some seconds");
        }

        if (recording.Perf is null && contents.Survey is { IsOfOneCollect: true } linux)
        {
            foreach (var gap in OfKernel(linux.Kernel))
            {
                yield return gap;
            }
        }
        else if (recording.Perf is null)
        {
            yield return new Refusal(
                "sched.perf.data",
                "what the kernel did with the threads",
                "a .nettrace file holds the runtime's events alone",
                RecordingAdvice.ForKernel(contents.Os));
        }
        else
        {
            foreach (var gap in OfKernel(recording.Perf))
            {
                yield return gap;
            }
        }

        yield return new Refusal(
            "manifest",
            "the process's configuration",
            "another tool recorded it: CPU quota, affinity and the pool's configured limits are not known, but for what the runtime's events tell",
            RecordingAdvice.ForConfiguration(contents.Os));
    }

    private static IEnumerable<Refusal> OfSeveral(TraceContents contents, TraceSurvey survey)
    {
        if (!contents.Header.KnowsProcessors)
        {
            yield return new Refusal("manifest", "the number of processors", "the file does not say it, so Poolscope assumes 1", "Record with Poolscope: poolscope collect -p PID");
        }

        if (!contents.HasRundown && !survey.IsOfOneCollect)
        {
            yield return new Refusal("runtime.nettrace", "names of methods", "the file lists no methods", Again);
        }

        if (survey.IsOfOneCollect && contents.Lost == 0)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "how many events were lost",
                "older versions of dotnet-trace collect-linux write no count of the events that the kernel dropped, and the file does not say which version wrote it, so a count of zero does not mean that none were lost",
                "Distrust items that have no end; or record with Poolscope, which counts losses: poolscope collect -p PID");
        }

        if (survey.IsOfOneCollect)
        {
            yield return new Refusal(
                "runtime.nettrace",
                "names of code that was compiled ahead of time",
                "dotnet-trace collect-linux lists the methods that were compiled while the process ran, and no others",
                "Record with `dotnet-trace collect` for all names: poolscope recipe dotnet-trace");
        }
    }

    private static IEnumerable<Refusal> OfKernel(KernelEvents kernel)
    {
        const string how = $"Record with dotnet-trace collect-linux --perf-events {KernelEvents.Wanted}, and without -p";
        if (kernel.Missing is { } why)
        {
            yield return new Refusal("sched.perf.data", "what the kernel did with the threads", why, how);
            yield break;
        }

        if (kernel.Wakeups == 0)
        {
            yield return new Refusal("sched.perf.data", "who woke threads", "neither sched_waking nor sched_wakeup was recorded", how);
        }

        if (kernel.CpuSamples > 0)
        {
            yield return new Refusal(
                "sched.perf.data", "stacks of CPU samples", "those of dotnet-trace collect-linux are not read: which threads ran is", "Record with Poolscope: poolscope collect -p PID");
        }
    }

    private static IEnumerable<Refusal> OfKernel(PerfRecording perf)
    {
        if (!perf.HasWakeups)
        {
            yield return new Refusal(
                "sched.perf.data",
                "who woke threads",
                "neither sched_waking nor sched_wakeup was recorded, or none was printed",
                "Record as this prints: poolscope recipe perf");
        }

        if (!perf.IsText)
        {
            if (!perf.HasSwitchRecords && perf.UnseenShare > MostUnseen)
            {
                yield return new Refusal(
                    "sched.perf.data",
                    "all switches",
                    string.Create(CultureInfo.InvariantCulture, $"{100 * perf.UnseenShare:0.#} % of the switches follow one that is missing: some virtual machines leave threads out of sched_switch, and perf ran without --switch-events, which records these"),
                    "Record perf with --switch-events, as this prints: poolscope recipe perf");
            }

            yield break;
        }

        yield return new Refusal(
            "sched.perf.data",
            "what text leaves out",
            "it does not distinguish wake-ups by an interrupt from those by the interrupted thread, it has no readable stacks of CPU samples, and it shows lost events only with --show-lost-events",
            "Send the perf.data that the text was printed from");
        if (perf.UnseenShare > MostUnseen)
        {
            yield return new Refusal(
                "sched.perf.data",
                "all switches",
                string.Create(CultureInfo.InvariantCulture, $"{100 * perf.UnseenShare:0} % of the switches follow one that is missing: some virtual machines leave threads out of sched_switch, and the records of --switch-events, if there are any, were not printed"),
                $"Print it again: {PerfScript.Command}");
        }

        if (perf.PrecisionNs > 1)
        {
            yield return new Refusal(
                "sched.perf.data",
                "times to the nanosecond",
                "the text has microseconds, in which events keep its order",
                $"Print it again: {PerfScript.Command}");
        }

        if (!perf.NamesProcesses)
        {
            yield return new Refusal(
                "sched.perf.data",
                "processes of threads",
                "the text has thread ids alone: threads of the process that wrote no event of the runtime count as others",
                $"Print it again: {PerfScript.Command}");
        }
    }
}
