using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Captures;

/// <summary>A capture folder during decoding: its streams and what they cover.</summary>
internal sealed class Capture(string folder, CaptureManifest manifest)
{
    private const string Monotonic = "CLOCK_MONOTONIC";
    private const string MonotonicRaw = "CLOCK_MONOTONIC_RAW";
    private const long NanosecondTicks = 1_000_000_000;

    private readonly List<StreamCoverage> _streams = [];

    public string Folder => folder;

    public IReadOnlyList<StreamCoverage> Streams => _streams;

    public StreamTables Tables { get; } = new();

    /// <summary>The time at which files of this machine must have existed to be those that the target mapped; null if
    /// the target ran elsewhere.</summary>
    public DateTime? RanHereAt => manifest.Host.Name == Environment.MachineName ? manifest.Clock.StartUtc : null;

    private bool Recording => manifest.Status == CaptureStatus.Recording;

    /// <summary>Returns when the collector began and ended a stream, ns; null if it was killed before that.</summary>
    public (long Start, long End)? WindowOf(string file) => Told(file) is { StartNs: > 0, EndNs: > 0 } told && !Recording
        ? (told.StartNs, told.EndNs)
        : null;

    public string PathOf(string file) => Path.Combine(folder, file);

    public bool Has(string file) => Path.Exists(PathOf(file));

    /// <summary>Returns whether a file is empty. Pipes and devices appear empty too, and are not opened.</summary>
    public bool IsEmpty(string file) => new FileInfo(PathOf(file)).Length == 0;

    /// <summary>Returns the start of an added stream, ns.</summary>
    public long StartOf(string file) => _streams.Single(s => s.File == file).StartNs;

    /// <summary>The thread ids of the runtime's streams; null if these have the ids of the kernel's events.</summary>
    public ThreadIds? Threads { get; set; }

    /// <summary>Returns the limits that the capture sets for the clock and the threads of a runtime stream.</summary>
    public StreamBounds BoundsOf(string file) => ClockBoundsOf(file) with { Threads = Threads };

    /// <summary>Whether another tool recorded the streams. The runtime's one then also holds methods and
    /// stacks.</summary>
    public bool IsMade => manifest.MadeFrom is not null;

    // Other tools begin their files one after the other, and a stream's window ends before its rundown.
    private StreamBounds ClockBoundsOf(string file) => StreamBounds.Between(
        IsMade ? WindowOf(file)?.Start ?? -1 : manifest.Clock.StartNs > 0 ? manifest.Clock.StartNs : -1,
        IsMade ? -1 : WindowOf(file)?.End ?? -1,
        manifest.Clock.Id is Monotonic or MonotonicRaw ? NanosecondTicks : 0,
        manifest.Host.Architecture is "x64" or "arm64" ? sizeof(long) : 0) with
    {
        AnyProvider = IsMade,
        ProcessId = IsMade ? manifest.Target.Pid : StreamBounds.AnyProcess,
    };

    /// <summary>Adds an EventPipe stream that was read, with its losses.</summary>
    public void Add(string file, NettraceSummary read, IProgress<string>? progress)
    {
        var stream = Add(file, StreamTiers.Eventpipe, read.FirstNs, read.LastNs, read.Events, read.Lost, read.Cut, damage: read.Damage);
        Tables.AddEventpipeLosses(file, read.Losses);
        AddEnd(stream, progress);
    }

    /// <summary>Adds the losses of one file of the stream of snapshots. A file that the end of the target cut does not
    /// affect the others.</summary>
    public void AddSnapshotLosses(string folder, string file, NettraceSummary read, IProgress<string>? progress)
    {
        Tables.AddEventpipeLosses(folder, read.Losses);
        if (read.Damage is not null)
        {
            progress?.Report($"{folder}/{file} is damaged: {read.Damage}");
            Tables.AddDamage(folder, read.LastNs, -1);
        }
    }

    /// <summary>Adds a file of readings that the collector took at intervals.</summary>
    /// <param name="first">Time of the first reading, ns; -1 if there is none.</param>
    /// <param name="last">Time of the last reading, ns; -1 if there is none.</param>
    /// <param name="damage">The damage found; null if there is none.</param>
    public void AddPolled(string file, long first, long last, long readings, string? damage, IProgress<string>? progress) =>
        AddEnd(Add(file, StreamTiers.Polled, first, last, readings, lost: 0, cut: damage is not null, damage: damage), progress);

    /// <summary>Adds a stream that cannot be read.</summary>
    /// <param name="damage">The reason, as a message.</param>
    public void AddUnreadable(string file, string tier, string damage, IProgress<string>? progress) =>
        AddEnd(Add(file, tier, -1, -1, events: 0, lost: 0, cut: true, damage: damage), progress);

    /// <summary>Adds a stream that was read.</summary>
    /// <param name="tier">The stream's tier, if the manifest does not name it.</param>
    /// <param name="firstNs">Time of the first event; -1 if there is none.</param>
    /// <param name="lastNs">Time of the last event; -1 if there is none.</param>
    /// <param name="scope">The scope of the recorded events, if the tier has several scopes.</param>
    /// <param name="damage">The contradiction in the stream; null if there is none.</param>
    public StreamCoverage Add(
        string file, string tier, long firstNs, long lastNs, long events, long lost, bool cut, string? scope = null, string? damage = null)
    {
        var told = Told(file);
        var start = told is { StartNs: > 0 } ? told.StartNs : firstNs;
        var last = Math.Max(start, lastNs);

        // A file of another tool may break off in its rundown or after it. The recording ended before that.
        var end = WindowOf(file) is not { } window ? last : !cut ? window.End : IsMade ? Math.Min(last, window.End) : last;
        var bytes = BytesOf(PathOf(file));
        var stream = new StreamCoverage(file, told?.Tier ?? tier, start, end, events, bytes, lost, cut) { Scope = scope, Damage = damage is null ? null : DecodeException.Plain(damage) };
        _streams.Add(stream);
        Tables.Add(stream);
        return stream;
    }

    private static long BytesOf(string path) => Directory.Exists(path)
        ? new DirectoryInfo(path).EnumerateFiles().Sum(file => file.Length)
        : new FileInfo(path).Length;

    /// <summary>Records a loss if the rest of a file is missing or damaged.</summary>
    public void AddEnd(StreamCoverage stream, IProgress<string>? progress = null)
    {
        if (!stream.Cut)
        {
            return;
        }

        var told = WindowOf(stream.File)?.End ?? -1;
        var end = told > stream.EndNs ? told : -1;
        if (stream.Damage is null)
        {
            Tables.AddCut(stream.File, stream.EndNs, end);
        }
        else
        {
            progress?.Report($"{stream.File} is damaged: {stream.Damage}");
            Tables.AddDamage(stream.File, stream.EndNs, end);
        }
    }

    /// <summary>Records a loss for each stream that the manifest names but the folder does not hold.</summary>
    public void AddMissing()
    {
        foreach (var stream in manifest.Streams.Where(s => !Has(s.File)))
        {
            Tables.AddCut(stream.File, stream.StartNs > 0 ? stream.StartNs : -1, stream.EndNs > 0 ? stream.EndNs : -1);
        }
    }

    /// <summary>Returns the manifest with the results of decoding. A manifest that still says `recording` belongs to a
    /// collector that was killed.</summary>
    public CaptureManifest Completed()
    {
        var found = _streams.ToDictionary(s => s.File);
        var known = manifest.Streams.Select(s => found.Remove(s.File, out var read)
            ? Completed(s, read)
            : s).ToList();
        var others = found.Values.Select(s => new StreamInfo(s.File, s.Tier, s.StartNs, s.EndNs, s.Bytes, s.Events, s.Lost) { Scope = s.Scope, Damage = s.Damage });
        return manifest with
        {
            Status = Recording ? CaptureStatus.Cut
                : manifest.Status == CaptureStatus.Complete && _streams.Any(s => s.Lost > 0) ? CaptureStatus.Incomplete
                : manifest.Status,
            Stop = Recording ? null : manifest.Stop,
            Streams = [.. known, .. others],
        };
    }

    private StreamInfo Completed(StreamInfo told, StreamCoverage read)
    {
        // Only the collector knows when it began and ended a stream, and a cut file does not refute it.
        var (start, end) = WindowOf(told.File) ?? (read.StartNs, read.EndNs);
        return told with { StartNs = start, EndNs = end, Bytes = read.Bytes, Events = read.Events, Lost = read.Lost, Scope = read.Scope ?? told.Scope, Damage = read.Damage };
    }

    private StreamInfo? Told(string file) => manifest.Streams.FirstOrDefault(s => s.File == file);
}
