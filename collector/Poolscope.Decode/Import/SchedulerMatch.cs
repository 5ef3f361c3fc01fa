using System.Globalization;
using Poolscope.PerfEvents;
using Poolscope.PerfEvents.Script;

namespace Poolscope.Decode.Import;

/// <summary>Checks that a perf.data and a .nettrace file record one process at the same time, on one clock.</summary>
internal static class SchedulerMatch
{
    /// <summary>The largest difference between the machine's start by one file and by the other. The trace's wall clock
    /// has whole milliseconds, and time servers move a wall clock during a recording. Two starts of a machine lie
    /// further apart.</summary>
    private static readonly TimeSpan SameStart = TimeSpan.FromSeconds(2);

    /// <summary>The share of a trace's events at which its threads must run, if the text names no processes.</summary>
    private const double SameThreads = 0.9;

    private const int FewestMoments = 10;

    /// <param name="running">When the trace's threads were on a CPU, from the text of `perf script`; unused for
    /// perf.data.</param>
    /// <returns>The comparison of what threads did; null if none was needed.</returns>
    /// <exception cref="InvalidDataException">The files do not match. The message continues after the file
    /// name.</exception>
    public static ClockEvidence? Require(TraceContents trace, string tracePath, PerfRecording perf, OnCpuTimes running)
    {
        var name = Path.GetFileName(tracePath);
        if (perf.MachineStartUtc is { } started)
        {
            var startedByTrace = trace.Header.StartUtc - TimeSpan.FromTicks(trace.StartNs / 100);
            if ((started - startedByTrace).Duration() > SameStart)
            {
                throw new InvalidDataException(
                    $"is of another machine or another start of it than {name}: by the one it started at {Time(started)}, by the other at {Time(startedByTrace)}");
            }
        }

        if (perf.FirstNs > trace.EndNs || perf.LastNs < trace.StartNs)
        {
            throw new InvalidDataException($"was not recorded at the same time as {name}: its first event comes {Seconds(perf.FirstNs - trace.StartNs)} after the trace began, its last {Seconds(perf.LastNs - trace.StartNs)}");
        }

        if (perf.NamesProcesses && !perf.Knows(trace.Header.ProcessId, trace.Threads))
        {
            throw new InvalidDataException(
                $"does not have the threads of process {trace.Header.ProcessId}, which {name} recorded: "
                + "it comes from another machine, or the process runs in a container with its own ids; run both tools on the same side of it");
        }

        return perf.IsText ? RequireEvidence(trace, name, perf, ClockEvidence.Of(trace.Moments, running, perf.FirstNs, perf.LastNs, perf.PrecisionNs)) : null;
    }

    private static ClockEvidence RequireEvidence(TraceContents trace, string name, PerfRecording perf, ClockEvidence evidence)
    {
        var threads = $"process {trace.Header.ProcessId}";
        if (evidence.IsProven)
        {
            return evidence;
        }

        if (evidence.IsRefuted || (!perf.ClockIsTold && evidence is { Moments: >= ClockEvidence.Fewest, IsAgreed: false }))
        {
            throw new InvalidDataException(
                $"does not go with {name}: {evidence.Text}; either its times are of another clock (record with -k CLOCK_MONOTONIC), or it was printed in part, or {threads} is in a container, where threads have other ids{PerfScript.Again}");
        }

        if (!perf.ClockIsTold)
        {
            throw new InvalidDataException(evidence.Moments < ClockEvidence.Fewest
                ? $"does not say which clock its times use, and {evidence.Moments} events of {threads} are too few to find out{PerfScript.Again}"
                : $"does not say which clock its times use, and the activity of the threads of {threads} does not prove it: {evidence.Text}{PerfScript.Again}");
        }

        if (!perf.NamesProcesses && (evidence.Moments < FewestMoments || evidence.Share < SameThreads))
        {
            throw new InvalidDataException($"names no processes, and {evidence.Moments} events of {threads} are too few to find its threads{PerfScript.Again}");
        }

        return evidence;
    }

    private static string Time(DateTime utc) => utc.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) + " UTC";

    private static string Seconds(long ns) => string.Create(CultureInfo.InvariantCulture, $"{ns / 1e9:0.0} s");
}
