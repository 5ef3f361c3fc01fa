using System.IO.Compression;
using System.Text;
using Microsoft.Diagnostics.Tracing.Etlx;
using Poolscope.Decode.Counters;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;
using Poolscope.Decode.Schedstat;
using Poolscope.Decode.Snapshots;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz.Corpus;

/// <summary>Small sound files of each format: beginnings of the golden captures' streams, and files as the collector
/// writes them for the formats that the captures lack.</summary>
internal static class Seeds
{
    // Bytes. Small enough for a thousand inputs a second, large enough for every kind of block and record.
    private const int Most = 24 << 10;

    private const long StartNs = 1_000_000_000_000;
    private const long BeatNs = 10_000_000;

    /// <summary>Returns the seeds of a format, from the folder of golden captures.</summary>
    /// <param name="golden">Folder of the captures, as .zip.</param>
    public static IReadOnlyList<Seed> Of(FileFormat format, string golden) =>
        format.Name is "schedstat" or "counters.csv" ? [new Seed(Written(format.Name), OwnManifest())]
            : format.Name == "runtime.v6" ? V6Seeds.Of(Captures(golden).Select(Runtime).OfType<byte[]>(), OwnManifest())
            : format.Name == "etl" ? EtlSeeds.Of(OwnManifest())
            : format.Name == "perf.script" ? ScriptSeeds.Of(golden, Most, OwnManifest())
            : [.. Captures(golden).SelectMany(zip => FromCapture(format, zip))];

    /// <summary>Returns the golden captures, and those in the folder beside them that exist only to be damaged. The
    /// latter are of a web service with requests, calls and sockets, which the golden ones lack.</summary>
    private static IEnumerable<string> Captures(string golden)
    {
        var others = Path.Combine(golden, "..", "fuzz");
        return Directory.GetFiles(golden, "*.zip").Order(StringComparer.Ordinal)
            .Concat(Directory.Exists(others) ? Directory.GetFiles(others, "*.zip").Order(StringComparer.Ordinal) : []);
    }

    private static IEnumerable<Seed> FromCapture(FileFormat format, string zip)
    {
        using var archive = ZipFile.OpenRead(zip);
        var manifest = Bytes(archive, CaptureManifest.FileName)!;
        switch (format.Name)
        {
            case "perf.data" when Bytes(archive, format.File) is { } records:
                var cut = PerfDataLayout.Cut(records, Most);
                var description = Bytes(archive, FileFormats.Named("sched.meta").File)!;
                return [new Seed(cut, manifest), new Seed(PerfDataLayout.Unfinished(cut), manifest, (FileFormats.Named("sched.meta").File, description))];
            case "sched.meta" when Bytes(archive, format.File) is { } meta:
                var data = PerfDataLayout.Unfinished(PerfDataLayout.Cut(Bytes(archive, FileFormats.Named("perf.data").File)!, Most));
                return [new Seed(meta, manifest, (FileFormats.Named("perf.data").File, data))];
            case "connections.csv" when Bytes(archive, format.File) is { } connections:
                var socketEvents = PerfDataLayout.Unfinished(PerfDataLayout.Cut(Bytes(archive, FileFormats.Named("perf.data").File)!, Most));
                return
                [
                    new Seed(
                        connections,
                        manifest,
                        (FileFormats.Named("perf.data").File, socketEvents),
                        (FileFormats.Named("sched.meta").File, Bytes(archive, FileFormats.Named("sched.meta").File)!)),
                ];
            case "etlx" when Bytes(archive, "runtime.nettrace") is { Length: < Most } runtime:
                return [new Seed(Digest(runtime), manifest)];
            case "lost-cpu.csv":
                return [new Seed(Encoding.UTF8.GetBytes(LostCpu()), OwnManifest())];
            case "throttle.csv":
                return [new Seed(Encoding.UTF8.GetBytes(Throttle()), OwnManifest())];
            case "snapshots.csv" when Bytes(archive, "snapshots/0001.nettrace") is { } snapshot:
                return [new Seed(Encoding.UTF8.GetBytes(Snapshots()), OwnManifest(), ("snapshots/0001.nettrace", snapshot))];
            case "capture.json" when Bytes(archive, "runtime.nettrace") is { } runtime:
                return [new Seed(manifest, manifest, ("runtime.nettrace", NettraceLayout.Cut(runtime, Most)))];
            default:
                return Bytes(archive, format.File) is { } bytes
                    ? [new Seed(format.File.EndsWith(".nettrace", StringComparison.Ordinal) ? NettraceLayout.Cut(bytes, Most) : bytes, manifest)]
                    : [];
        }
    }

    private static byte[]? Runtime(string zip)
    {
        using var archive = ZipFile.OpenRead(zip);
        return Bytes(archive, "runtime.nettrace") is { } bytes ? NettraceLayout.Cut(bytes, Most) : null;
    }

    private static byte[]? Bytes(ZipArchive archive, string name)
    {
        if (archive.GetEntry(name) is not { } entry)
        {
            return null;
        }

        using var stream = entry.Open();
        using var bytes = new MemoryStream();
        stream.CopyTo(bytes);
        return bytes.ToArray();
    }

    private static byte[] Digest(byte[] nettrace)
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-fuzz");
        try
        {
            var (from, to) = (Path.Combine(folder.FullName, "x.nettrace"), Path.Combine(folder.FullName, "x.etlx"));
            File.WriteAllBytes(from, nettrace);
            TraceLog.CreateFromEventPipeDataFile(from, to, new TraceLogOptions { KeepAllEvents = true, ConversionLog = TextWriter.Null });
            return File.ReadAllBytes(to);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static byte[] Written(string format) => format == "schedstat" ? Schedstat() : Encoding.UTF8.GetBytes(Counters());

    private static byte[] Schedstat()
    {
        var file = new byte[SchedstatFormat.HeaderBytes + (SchedstatFormat.RecordBytes * 400)];
        SchedstatFormat.WriteHeader(file, BeatNs, StartNs, pid: 7);
        for (var i = 0; i < 400; i++)
        {
            var (tid, time) = (100 + (i % 5), StartNs + (i / 5 * BeatNs));
            var record = file.AsSpan(SchedstatFormat.HeaderBytes + (SchedstatFormat.RecordBytes * i), SchedstatFormat.RecordBytes);
            var kind = i switch { 10 => SchedstatRecordKind.Born, 399 => SchedstatRecordKind.Finished, _ when i % 90 == 89 => SchedstatRecordKind.Ended, _ => SchedstatRecordKind.Reading };
            if (i % 50 == 7)
            {
                SchedstatFormat.WriteName(record, tid, time, "worker"u8);
            }
            else
            {
                SchedstatFormat.Write(record, new SchedstatRecord(kind, tid, time, time - BeatNs, i * 1_000_000L, i * 500_000L, i, i % 3 == 0 ? 'R' : 'S'));
            }
        }

        return file;
    }

    private static string Counters() => string.Join('\n', Enumerable.Range(0, 30)
        .Select(i => CountersStream.Line(new CounterReading(StartNs + (i * BeatNs), StartNs + ((i - 1) * BeatNs), i, i * 10, 4, 1, 50 + i, 1000)))
        .Prepend(CountersStream.Header));

    private static string LostCpu() => string.Join('\n', Enumerable.Range(0, 30)
        .Select(i => $"{StartNs + (i * BeatNs)},{i * 10_000_000L},{i / 3 * 10_000_000L}")
        .Prepend(LostCpuStream.Header));

    private static string Throttle() => string.Join('\n', Enumerable.Range(0, 30)
        .Select(i => $"{StartNs + (i * BeatNs)},{i},{i / 2},{i * 1000},/group")
        .Prepend(ThrottleStream.Header));

    private static string Snapshots() => string.Join('\n', Enumerable.Range(0, 10)
        .Select(i => new SnapshotMoment(StartNs + (i * BeatNs), BeatNs, (SnapshotWhy)(i % 4), $"000{i}.nettrace").ToLine())
        .Prepend(SnapshotMoment.Header));

    /// <summary>Returns a manifest that says nothing about streams, so that only a file itself can be found
    /// wrong.</summary>
    private static byte[] OwnManifest() => """
        {
          "format": 1, "tool": { "name": "poolscope-collect", "version": "0" }, "status": "recording",
          "clock": { "id": "CLOCK_MONOTONIC", "start_ns": 1, "start_utc": "2025-01-01T00:00:00Z" },
          "host": { "name": "fuzz", "os": "Linux", "kernel": "6", "architecture": "x64", "cpus_online": 8, "memory_bytes": 1 },
          "target": { "pid": 7, "name": "app", "command": ["app"], "launched": false, "cpus_allowed": 8, "processor_count": 8,
            "min_threads": { "value": 2, "known": "default" }, "max_threads": { "value": 9, "known": "default" } }
        }
        """u8.ToArray();
}

/// <summary>A sound file, and the capture around it.</summary>
/// <param name="Manifest">capture.json.</param>
/// <param name="Beside">Other files of the capture.</param>
internal sealed record Seed(byte[] File, byte[] Manifest, params (string Name, byte[] Bytes)[] Beside)
{
    /// <summary>Returns the bytes of the whole capture with another file in place of the sound one.</summary>
    public long SizeWith(byte[] input) => input.Length + Manifest.Length + Beside.Sum(file => (long)file.Bytes.Length);
}
