using System.Runtime.InteropServices;
using System.Text;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>The features of a perf.data file that describe host, clock and events, in the layouts of
/// tools/perf/Documentation/perf.data-file-format.txt.</summary>
internal static class HostFeatures
{
    private const int ClockMonotonic = 1;

    /// <param name="tracingData">Null if no event is a tracepoint.</param>
    /// <param name="start">Wall clock and CLOCK_MONOTONIC ns, read together when the recording began.</param>
    /// <param name="end">CLOCK_MONOTONIC ns when the recording ended.</param>
    internal static Dictionary<HeaderFeature, byte[]> Describe(
        IReadOnlyList<RecordedEvent> events, byte[]? tracingData, int cpus, (DateTime Utc, long Monotonic) start, long end)
    {
        var features = new Dictionary<HeaderFeature, byte[]>
        {
            [HeaderFeature.HostName] = Text(Environment.MachineName),
            [HeaderFeature.OsRelease] = Text(File.ReadAllText("/proc/sys/kernel/osrelease").Trim()),
            [HeaderFeature.Version] = Text("poolscope " + typeof(HostFeatures).Assembly.GetName().Version?.ToString(3)),
            [HeaderFeature.Architecture] = Text(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? "aarch64" : "x86_64"),
            [HeaderFeature.CpuCount] = Blob(w =>
            {
                // perf's code and its documentation disagree about the order of "available" and "online".
                w.Write(cpus);
                w.Write(cpus);
            }),
            [HeaderFeature.CommandLine] = Blob(w =>
            {
                var arguments = Environment.GetCommandLineArgs();
                w.Write(arguments.Length);
                Array.ForEach(arguments, a => w.Write(Text(a)));
            }),
            [HeaderFeature.EventDescription] = Blob(w => DescribeEvents(w, events)),
            [HeaderFeature.SampleTime] = Blob(w =>
            {
                w.Write(start.Monotonic);
                w.Write(end);
            }),
            [HeaderFeature.ClockId] = Blob(w => w.Write(1L)), // resolution, ns
            [HeaderFeature.ClockData] = Blob(w =>
            {
                w.Write(1); // version
                w.Write(ClockMonotonic);
                w.Write((start.Utc - DateTime.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick);
                w.Write(start.Monotonic);
            }),
        };
        if (tracingData is not null)
        {
            features[HeaderFeature.TracingData] = tracingData;
        }

        if (FirstValue("/proc/cpuinfo", "model name") is { } processor)
        {
            features[HeaderFeature.CpuDescription] = Text(processor);
        }

        if (FirstValue("/proc/meminfo", "MemTotal") is { } memory && long.TryParse(memory.Split(' ')[0], out var kilobytes))
        {
            features[HeaderFeature.TotalMemory] = Blob(w => w.Write(kilobytes));
        }

        return features;
    }

    private static void DescribeEvents(BinaryWriter writer, IReadOnlyList<RecordedEvent> events)
    {
        writer.Write(events.Count);
        writer.Write(PerfEventAttr.Bytes);
        foreach (var recorded in events)
        {
            writer.Write(recorded.Attr.ToArray());
            writer.Write(recorded.Ids.Count);
            writer.Write(Text(recorded.Name));
            foreach (var id in recorded.Ids)
            {
                writer.Write(id);
            }
        }
    }

    private static byte[] Text(string text) => Blob(w =>
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        var padded = (bytes.Length + 64) & ~63; // at least one NUL; perf pads to 64
        w.Write(padded);
        w.Write(bytes);
        w.Write(new byte[padded - bytes.Length]);
    });

    private static byte[] Blob(Action<BinaryWriter> write)
    {
        using var blob = new MemoryStream();
        using var writer = new BinaryWriter(blob);
        write(writer);
        writer.Flush();
        return blob.ToArray();
    }

    private static string? FirstValue(string path, string key)
    {
        try
        {
            return File.ReadLines(path).FirstOrDefault(l => l.StartsWith(key, StringComparison.Ordinal))?.Split(':', 2)[^1].Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
