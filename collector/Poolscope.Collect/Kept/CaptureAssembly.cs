using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Flight;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;
using Poolscope.Decode.Segments;

namespace Poolscope.Collect.Kept;

/// <summary>Makes a capture from consecutive slots of a flight recorder. It equals the one that `collect` would have
/// recorded.</summary>
internal sealed class CaptureAssembly(FlightRecorder recorder, CaptureManifest template, ProcFs proc, DiagnosticsClient client, string earlierSymbols)
{
    private static readonly TimeSpan SymbolsTimeout = TimeSpan.FromSeconds(20);

    private static readonly string[] Readings = [ThrottleStream.FileName, CapacityStream.FileName, LostCpuStream.FileName, ThreadIdStream.FileName];

    /// <summary>Writes the capture.</summary>
    /// <param name="folder">An existing, empty folder.</param>
    /// <param name="slots">At least one slot, in order of time.</param>
    /// <param name="stop">The reason why the capture ends: one of <see cref="StopReason"/>.</param>
    /// <param name="look">The pool when the condition was met, or null if it was not read, or could not be.</param>
    /// <param name="alive">Whether the process lives and can answer a request for its methods' names.</param>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    public async Task WriteAsync(string folder, IReadOnlyList<RecorderSlot> slots, string stop, LookInfo? look, bool alive)
    {
        var start = slots[0].StartNs;
        var end = slots[^1].Runtime!.EndNs;
        var now = MonotonicClock.Read();
        DateTime Utc(long ns) => now.StartUtc - TimeSpan.FromTicks((now.StartNs - ns) / TimeSpan.NanosecondsPerTick);

        var streams = new List<StreamInfo>
        {
            Join(folder, SessionPlan.RuntimeFile, [.. slots.Select(slot => slot.Runtime!)], start, Utc),
        };
        if (slots.All(slot => slot.Waits is not null))
        {
            streams.Add(Join(folder, SessionPlan.WaitsFile, [.. slots.Select(slot => slot.Waits!)], start, Utc));
        }

        var lost = 0L;
        if (recorder.Kernel is { } kernel && slots.All(slot => slot.Kernel is not null))
        {
            var bytes = await kernel.JoinAsync(folder, [.. slots.Select(slot => slot.Kernel!)]).ConfigureAwait(false);
            lost = slots.Sum(slot => slot.Kernel!.Lost);
            streams.Add(new StreamInfo(kernel.FileName, kernel.Tier, slots[0].Kernel!.StartNs, slots[^1].Kernel!.EndNs, bytes)
            {
                Scope = kernel.Scope,
                PollStepNs = kernel.PollStep?.Ticks * TimeSpan.NanosecondsPerTick,
                Lost = lost > 0 ? lost : null,
            });
        }

        if (WriteCounters(folder, start, end) is { } counters)
        {
            streams.Add(counters);
        }

        if (recorder.Streams.Snapshots.CopyTo(folder, start, end) is > 0 and var snapshots)
        {
            streams.Add(new StreamInfo(SessionPlan.SnapshotsFolder, "eventpipe", start, end, snapshots));
        }

        CopyReadings(folder, slots);
        var refused = recorder.Refused.ToList();
        streams.AddRange(await AddSymbolsAsync(folder, alive, start, refused).ConfigureAwait(false));
        var first = streams.Min(stream => stream.StartNs);
        var manifest = template with
        {
            Status = !alive && !recorder.Streams.HasEndMark ? CaptureStatus.Cut : lost > 0 ? CaptureStatus.Incomplete : CaptureStatus.Complete,
            Stop = stop,
            Clock = new ClockInfo(MonotonicClock.Id, first, Utc(first)),
            Target = look is null ? template.Target : template.Target with
            {
                MinThreads = new KnownValue(look.Minimum, KnownValue.Look),
                MaxThreads = new KnownValue(look.Maximum, KnownValue.Look),
            },
            Phases = [new Phase("recording", start, end)],
            Streams = streams,
            Refused = refused,
            LookAtEnd = look,
        };
        manifest.Save(folder);
    }

    /// <param name="start">The start of the capture. A stream that was silent for long was cut long before.</param>
    private static StreamInfo Join(string folder, string file, IReadOnlyList<NettraceSegment> segments, long start, Func<long, DateTime> utc)
    {
        var bytes = NettraceSegments.Join(Path.Combine(folder, file), segments, utc(segments[0].StartNs));
        return new StreamInfo(file, "eventpipe", Math.Max(start, segments[0].StartNs), Math.Max(segments[^1].EndNs, start), bytes);
    }

    private StreamInfo? WriteCounters(string folder, long start, long end)
    {
        var readings = recorder.Streams.Counters.Between(start, end);
        if (readings.Count == 0)
        {
            return null;
        }

        var path = Path.Combine(folder, CountersStream.FileName);
        using (var file = PrivateFiles.CreateText(path))
        {
            file.WriteLine(CountersStream.Header);
            foreach (var reading in readings)
            {
                file.WriteLine(CountersStream.Line(reading));
            }
        }

        return new StreamInfo(CountersStream.FileName, "polled", start, end, new FileInfo(path).Length)
        {
            PollStepNs = CountersRecorder.Beat.Ticks * TimeSpan.NanosecondsPerTick,
        };
    }

    /// <summary>Copies the connections at the beginning, and joins the other readings under one header.</summary>
    private static void CopyReadings(string folder, IReadOnlyList<RecorderSlot> slots)
    {
        var connections = Path.Combine(slots[0].Folder, ConnectionsStream.FileName);
        if (File.Exists(connections))
        {
            File.Copy(connections, Path.Combine(folder, ConnectionsStream.FileName));
        }

        foreach (var name in Readings)
        {
            var parts = slots.Select(slot => Path.Combine(slot.Folder, name)).Where(File.Exists).ToList();
            if (parts.Count > 0)
            {
                using var file = PrivateFiles.CreateText(Path.Combine(folder, name));
                foreach (var line in File.ReadLines(parts[0]).Concat(parts.Skip(1).SelectMany(part => File.ReadLines(part).Skip(1))))
                {
                    file.WriteLine(line);
                }
            }
        }
    }

    /// <summary>Adds the names of methods: from a rundown now, or from the one when watching began, which lacks methods
    /// compiled since.</summary>
    private async Task<IReadOnlyList<StreamInfo>> AddSymbolsAsync(string folder, bool alive, long start, List<Refusal> refused)
    {
        var symbols = new SymbolsRecorder(client, recorder.Plan.Runtime, folder, new SizeLimit(recorder.Plan.MaxBytes, recorder.Plan.Tables));
        if (alive && proc.IsAlive(recorder.Plan.Pid))
        {
            await symbols.TakeAsync(SymbolsTimeout).ConfigureAwait(false);
        }

        if (symbols.Taken is [.., var last])
        {
            return [new StreamInfo(SessionPlan.SymbolsFile, "eventpipe", last.StartNs, last.EndNs, symbols.Bytes)];
        }

        if (File.Exists(earlierSymbols))
        {
            File.Copy(earlierSymbols, Path.Combine(folder, SessionPlan.SymbolsFile));
            return [new StreamInfo(SessionPlan.SymbolsFile, "eventpipe", start, start, new FileInfo(earlierSymbols).Length)];
        }

        refused.Add(new Refusal("symbols", "eventpipe", symbols.Failure ?? "the process ended before a rundown could be taken", "Capture again while the process runs normally"));
        return [];
    }
}
