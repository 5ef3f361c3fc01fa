using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Schedstat;
using Poolscope.Decode.Streams;
using Poolscope.Fuzz.Corpus;
using Poolscope.PerfEvents;
using Poolscope.PerfEvents.Script;

namespace Poolscope.Fuzz.Formats;

/// <summary>All formats of files that `decode` reads.</summary>
internal static class FileFormats
{
    public static IReadOnlyList<FileFormat> All { get; } =
    [
        new("runtime", "runtime.nettrace", NettraceLayout.Of),
        new("waits", "waits.nettrace", NettraceLayout.Of),
        new("symbols", "symbols.nettrace", NettraceLayout.Of),
        new("snapshots", "snapshots/0001.nettrace", NettraceLayout.Of),
        new("perf.data", SchedulerRecording.DataFileName, PerfDataLayout.Of),
        new("perf.script", NettraceImport.TextFile, OtherLayouts.Text) { IsText = true, Prepare = Imported },
        new("sched.meta", SchedulerRecording.MetaFileName, OtherLayouts.Text) { IsText = true },
        new("schedstat", SchedstatFormat.FileName, file => OtherLayouts.Records(file, SchedstatFormat.HeaderBytes, SchedstatFormat.RecordBytes)),
        new("capacity.csv", CapacityStream.FileName, OtherLayouts.Text) { IsText = true },
        new("connections.csv", ConnectionsStream.FileName, OtherLayouts.Text) { IsText = true },
        new("counters.csv", CountersStream.FileName, OtherLayouts.Text) { IsText = true },
        new("lost-cpu.csv", LostCpuStream.FileName, OtherLayouts.Text) { IsText = true },
        new("throttle.csv", ThrottleStream.FileName, OtherLayouts.Text) { IsText = true },
        new("snapshots.csv", SnapshotMoment.FileName, OtherLayouts.Text) { IsText = true },
        new("capture.json", CaptureManifest.FileName, OtherLayouts.Text) { IsText = true },
        new("etlx", EtwStream.DigestFile, OtherLayouts.Words) { IsReadByTraceEvent = true },
    ];

    public static FileFormat Named(string name) => All.Single(format => format.Name == name);

    /// <summary>No capture is read from text: the import looks at it, and makes a perf.data file of it.</summary>
    private static void Imported(string folder)
    {
        var text = Path.Combine(folder, NettraceImport.TextFile);
        var running = new OnCpuTimes(ScriptSeeds.Threads);
        try
        {
            var perf = PerfRecording.Open(text, running, CancellationToken.None);
            ClockEvidence.Of(ScriptSeeds.Moments, running, perf.FirstNs, perf.LastNs, perf.PrecisionNs);
            PerfScript.Convert(text, Path.Combine(folder, SchedulerRecording.DataFileName), ScriptSeeds.Process, ScriptSeeds.Threads, CancellationToken.None);
            RequireSame(folder, perf);
        }
        catch (InvalidDataException e)
        {
            throw new CaptureRefusedException(e.Message, e);
        }
    }

    /// <summary>Whatever the text was, the file that is made of it is sound and tells of the same time.</summary>
    private static void RequireSame(string folder, PerfRecording text)
    {
        var made = PerfDataReader.Read(folder, new OnCpuTimes([]), long.MinValue, long.MaxValue, byAnyTool: true);
        if (made.Damage is not null || made.FirstNs != text.FirstNs || made.LastNs != text.LastNs)
        {
            throw new InvalidOperationException($"made of {text.FirstNs} to {text.LastNs} ns: {made}");
        }
    }
}
