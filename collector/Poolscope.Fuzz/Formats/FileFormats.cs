using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;
using Poolscope.Decode.Schedstat;
using Poolscope.Decode.Snapshots;
using Poolscope.Decode.Streams;
using Poolscope.PerfEvents;

namespace Poolscope.Fuzz.Formats;

/// <summary>All file formats that `decode` reads.</summary>
internal static class FileFormats
{
    public static IReadOnlyList<FileFormat> All { get; } =
    [
        new("runtime", "runtime.nettrace", NettraceLayout.Of),
        new("runtime.v6", "runtime.nettrace", NettraceV6Layout.Of) { Prepare = NettraceImporting.Prepare },
        new("waits", "waits.nettrace", NettraceLayout.Of),
        new("symbols", "symbols.nettrace", NettraceLayout.Of),
        new("snapshots", "snapshots/0001.nettrace", NettraceLayout.Of),
        new("perf.data", SchedulerRecording.DataFileName, PerfDataLayout.Of),
        new("perf.script", NettraceImport.TextFile, OtherLayouts.Text) { IsText = true, Prepare = ScriptImport.Prepare },
        new("sched.meta", SchedulerRecording.MetaFileName, OtherLayouts.Text) { IsText = true },
        new("schedstat", SchedstatFormat.FileName, file => OtherLayouts.Records(file, SchedstatFormat.HeaderBytes, SchedstatFormat.RecordBytes)),
        new("capacity.csv", CapacityStream.FileName, OtherLayouts.Text) { IsText = true },
        new("connections.csv", ConnectionsStream.FileName, OtherLayouts.Text) { IsText = true },
        new("counters.csv", CountersStream.FileName, OtherLayouts.Text) { IsText = true },
        new("lost-cpu.csv", LostCpuStream.FileName, OtherLayouts.Text) { IsText = true },
        new("throttle.csv", ThrottleStream.FileName, OtherLayouts.Text) { IsText = true },
        new("snapshots.csv", SnapshotMoment.FileName, OtherLayouts.Text) { IsText = true },
        new("capture.json", CaptureManifest.FileName, OtherLayouts.Text) { IsText = true },
        new("etl", EtwStream.RecordedFile, EtlLayout.Of),
        new("etlx", EtwStream.DigestFile, OtherLayouts.Words) { IsReadByTraceEvent = true },
    ];

    public static FileFormat Named(string name) => All.Single(format => format.Name == name);
}
