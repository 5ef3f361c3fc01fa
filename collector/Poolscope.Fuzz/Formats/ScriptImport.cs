using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Poolscope.PerfEvents;
using Poolscope.PerfEvents.Script;

namespace Poolscope.Fuzz.Formats;

/// <summary>Imports a text of `perf script` beside an invented trace.</summary>
internal static class ScriptImport
{
    private const int Process = 4295;

    private static readonly HashSet<int> Threads = [4295, 4310, 4312];

    private static readonly Moments Moments = Written();

    /// <summary>Examines the text and makes a perf.data file from it, as the import does. No capture is read from
    /// text.</summary>
    public static void Prepare(string folder)
    {
        var text = Path.Combine(folder, NettraceImport.TextFile);
        var running = new OnCpuTimes(Threads);
        try
        {
            var perf = PerfRecording.IsPerfData(text) ? throw new InvalidDataException("a perf.data file") : PerfScript.Open(text, running, CancellationToken.None);
            ClockEvidence.Of(Moments, running, perf.FirstNs, perf.LastNs, perf.PrecisionNs);
            PerfScript.Convert(text, Path.Combine(folder, SchedulerRecording.DataFileName), Process, Threads, CancellationToken.None);
            RequireSame(folder, perf);
        }
        catch (InvalidDataException e)
        {
            throw new CaptureRefusedException(e.Message, e);
        }
    }

    /// <summary>Throws unless the file made from the text is sound and covers the same time.</summary>
    private static void RequireSame(string folder, PerfRecording text)
    {
        var made = PerfDataReader.Read(folder, new OnCpuTimes([]), long.MinValue, long.MaxValue, byAnyTool: true);
        if (made.Damage is not null || made.FirstNs != text.FirstNs || made.LastNs != text.LastNs)
        {
            throw new InvalidOperationException($"made of {text.FirstNs} to {text.LastNs} ns: {made}");
        }
    }

    private static Moments Written()
    {
        var moments = new Moments();
        for (var i = 0; i < 500; i++)
        {
            moments.Add(Threads.ElementAt(i % Threads.Count), 66_243_000_000_000 + (i * 1_700_000L));
        }

        return moments;
    }
}
