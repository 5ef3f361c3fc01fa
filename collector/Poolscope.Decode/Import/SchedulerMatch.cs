using System.Globalization;
using Poolscope.PerfEvents;

namespace Poolscope.Decode.Import;

/// <summary>Whether a perf.data file and a .nettrace file tell of the same process at the same time, on one clock.</summary>
internal static class SchedulerMatch
{
    /// <summary>Between when the machine started by one file and by the other: the trace's wall clock has whole milliseconds, and
    /// time servers move a wall clock while it is recorded. Two starts of a machine lie further apart.</summary>
    private static readonly TimeSpan SameStart = TimeSpan.FromSeconds(2);

    /// <exception cref="InvalidDataException">They do not. The message continues after the file's name.</exception>
    public static void Require(TraceContents trace, string tracePath, PerfRecording perf, string perfPath)
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

        if (!perf.Knows(trace.Header.ProcessId, trace.Threads))
        {
            throw new InvalidDataException(
                $"does not know the threads of process {trace.Header.ProcessId}, of which {name} tells: "
                + "it is of another machine, or the process is in a container, where it has another id; run both tools on the same side of it");
        }
    }

    private static string Time(DateTime utc) => utc.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) + " UTC";

    private static string Seconds(long ns) => string.Create(CultureInfo.InvariantCulture, $"{ns / 1e9:0.0} s");
}
