using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Poolscope.Decode.Errors;
using Poolscope.Tables;

namespace Poolscope.Decode.Manifest;

/// <summary>The manifest, capture.json: how a capture was recorded, its target, and what the recorder was refused. The
/// file traces/README.md explains every key. Times are CLOCK_MONOTONIC ns.</summary>
public sealed record CaptureManifest
{
    /// <summary>File name of the manifest inside the capture folder.</summary>
    public const string FileName = "capture.json";

    /// <summary>The format that this program writes, and the only one that it reads; `format` in
    /// traces/schema.json.</summary>
    public const int KnownFormat = 1;

    // Bytes. A command line may be long; all other fields together take a few kB.
    private const long LargestFile = 16L << 20;

    public required int Format { get; init; }

    public required ToolInfo Tool { get; init; }

    /// <summary>One of <see cref="CaptureStatus"/>.</summary>
    public required string Status { get; init; }

    /// <summary>One of <see cref="StopReason"/>; null while recording.</summary>
    public string? Stop { get; init; }

    public required ClockInfo Clock { get; init; }

    public required HostInfo Host { get; init; }

    public required TargetInfo Target { get; init; }

    /// <summary>Labels that the user gave the capture, such as `service` and `version`; null if none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, string>? Labels { get; init; }

    /// <summary>Files of other tools that the capture was made from; null if Poolscope recorded it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<SourceFile>? MadeFrom { get; init; }

    /// <summary>The pool whose items the tables hold, as `decode` found it; null for the runtime's own pool.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public PoolInfo? Pool { get; init; }

    /// <summary>The pool as the recorder found it in the process's memory when it attached; null if the recorder did
    /// not or could not look.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public LookInfo? Look { get; init; }

    /// <summary>The pool as the recorder found it when the recording ended or, for an incident of `watch`, when the
    /// condition was met; null if the recorder did not or could not look.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public LookInfo? LookAtEnd { get; init; }

    /// <summary>Rows of each table that `decode` wrote, to detect tables lost or emptied since then; null if not
    /// decoded.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, long>? Tables { get; init; }

    public IReadOnlyList<Phase> Phases { get; init => field = value ?? []; } = [];

    public IReadOnlyList<StreamInfo> Streams { get; init => field = value ?? []; } = [];

    public IReadOnlyList<Refusal> Refused { get; init => field = value ?? []; } = [];

    /// <exception cref="FileNotFoundException">The folder has no manifest and is not a capture.</exception>
    /// <exception cref="CaptureRefusedException">The manifest has another format.</exception>
    /// <exception cref="JsonException">The manifest is not JSON of this shape.</exception>
    /// <exception cref="IOException">The manifest cannot be read.</exception>
    public static CaptureManifest Load(string folder)
    {
        var file = new FileInfo(Path.Combine(folder, FileName));
        if (file.Length is 0 or > LargestFile) // pipes and devices have no length
        {
            throw new JsonException(file.Length == 0 ? "it is empty." : "it is too large.");
        }

        var bytes = File.ReadAllBytes(file.FullName);
        RequireKnownFormat(bytes, file.FullName);
        return JsonSerializer.Deserialize(bytes, ManifestJson.Shared.CaptureManifest) ?? throw new JsonException("it is null.");
    }

    /// <summary>Throws if the manifest has another format. Checked first, because the other keys may differ in another
    /// format.</summary>
    private static void RequireKnownFormat(byte[] manifest, string path)
    {
        using var document = JsonDocument.Parse(manifest);
        if (document.RootElement.ValueKind == JsonValueKind.Object && document.RootElement.TryGetProperty("format", out var format)
            && format.ValueKind == JsonValueKind.Number && format.TryGetInt64(out var found) && found != KnownFormat)
        {
            throw new CaptureRefusedException(found > KnownFormat
                ? $"{path}: capture format {found}, made by a newer Poolscope; this one reads format {KnownFormat}: update it"
                : $"{path}: capture format {found}, made by an older Poolscope; this one reads format {KnownFormat}: use the Poolscope that recorded it");
        }
    }

    /// <summary>Replaces the manifest atomically.</summary>
    public void Save(string folder) => NewFile.Replace(
        Path.Combine(folder, FileName), stream => JsonSerializer.Serialize(stream, this, ManifestJson.Shared.CaptureManifest));
}

/// <summary>Values of <see cref="CaptureManifest.Status"/>.</summary>
public static class CaptureStatus
{
    public const string Recording = "recording";
    public const string Complete = "complete";
    public const string Cut = "cut";

    /// <summary>Every stream ended properly, but events were lost, or the runtime's stream was unavailable.</summary>
    public const string Incomplete = "incomplete";
}

/// <summary>Values of <see cref="CaptureManifest.Stop"/>.</summary>
public static class StopReason
{
    public const string Duration = "duration";
    public const string Signal = "signal";
    public const string TargetExit = "target-exit";
    public const string TargetKilled = "target-killed";
    public const string MaxSize = "max-size";
}

/// <summary>Values of <see cref="TargetInfo.Limits"/>.</summary>
public static class RuntimeLimit
{
    /// <summary>The runtime walks the stack of every event, so recording costs more per work item.</summary>
    public const string StacksOnEveryEvent = "stacks-on-every-event";

    /// <summary>The runtime has no WaitHandleWait events. Only lock contention and waits for tasks show
    /// blocking.</summary>
    public const string NoWaitHandleEvents = "no-wait-handle-events";
}

/// <param name="Name">The recorder's name.</param>
/// <param name="Version">The recorder's version.</param>
/// <param name="Pid">The recorder's process id, as the kernel's stream shows it; null if the recorder is unknown or
/// ended earlier.</param>
public sealed record ToolInfo(
    string Name,
    string Version,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] int? Pid = null);

/// <summary>A file that another tool recorded.</summary>
/// <param name="File">The file's name inside the capture folder.</param>
/// <param name="From">The file's original name, without its folder.</param>
/// <param name="Format">One of <see cref="SourceFormat"/>.</param>
public sealed record SourceFile(string File, string From, string Format);

/// <summary>Values of <see cref="SourceFile.Format"/>.</summary>
public static class SourceFormat
{
    /// <summary>An EventPipe file, as dotnet-trace and dotnet-monitor write it.</summary>
    public const string Nettrace = "nettrace";

    /// <summary>A file that `perf record` wrote.</summary>
    public const string PerfData = "perf.data";

    /// <summary>The text that `perf script` prints.</summary>
    public const string PerfScript = "perf-script";
}

public sealed record ClockInfo(string Id, long StartNs, DateTime StartUtc);

public sealed record HostInfo(string Name, string Os, string Kernel, string Architecture, int CpusOnline, long MemoryBytes);

public sealed record TargetInfo
{
    /// <summary>The first version of .NET whose lock events name the owner by its managed thread id instead of its OS
    /// thread id.</summary>
    public const int FirstWithManagedOwners = 11;

    public required int Pid { get; init; }

    public required string Name { get; init; }

    public required IReadOnlyList<string> Command { get; init; }

    public required bool Launched { get; init; }

    public int? ExitCode { get; init; }

    public string? Runtime { get; init; }

    /// <summary>The runtime's major version, 10 for ".NET 10.0.12"; null if unknown, and for .NET Framework.</summary>
    [JsonIgnore]
    public int? RuntimeMajor => Runtime is null || Runtime.Contains("Framework", StringComparison.Ordinal) ? null : Major(Runtime);

    /// <summary>What this runtime cannot do but a newer one can; values of <see cref="RuntimeLimit"/>.</summary>
    public IReadOnlyList<string> Limits { get; init => field = value ?? []; } = [];

    /// <summary>The start time of the process on the capture's clock, to 10 ms; null if unknown.</summary>
    public long? ProcessStartNs { get; init; }

    public required int CpusAllowed { get; init; }

    /// <summary>The cgroup's CPU quota, in CPUs; null if there is no quota.</summary>
    public double? CpuQuota { get; init; }

    public required int ProcessorCount { get; init; }

    public required KnownValue MinThreads { get; init; }

    public required KnownValue MaxThreads { get; init; }

    /// <returns>The major version, 10 for ".NET 10.0.12"; null if unknown.</returns>
    public static int? Major(string? runtime) =>
        runtime?.Split(' ')[^1].Split('.')[0] is { } text && int.TryParse(text, CultureInfo.InvariantCulture, out var major) ? major : null;

    /// <summary>The application's own assemblies; null if unknown.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public OwnInfo? Own { get; init; }
}

/// <summary>The application's own code, as opposed to its libraries.</summary>
/// <param name="Entry">The entry assembly, without extension.</param>
/// <param name="Assemblies">All own assemblies including the entry assembly, without extension, sorted.</param>
public sealed record OwnInfo(string Entry, IReadOnlyList<string> Assemblies);

/// <param name="Known">The source of the value: environment, runtimeconfig, default or <see cref="Look"/>.</param>
public sealed record KnownValue(int Value, string Known)
{
    /// <summary>The value was read from the process's memory.</summary>
    public const string Look = "look";
}

/// <summary>A reference pool of the bundled workloads.</summary>
/// <param name="Provider">The event source that reports the pool.</param>
/// <param name="Name">The pool's own name; several pools of one run are separated by commas.</param>
/// <param name="OtherItems">The number of items of the runtime's own pool, which no table holds.</param>
public sealed record PoolInfo(string Provider, string Name, long OtherItems);

public sealed record Phase(string Name, long StartNs, long EndNs);

public sealed record StreamInfo(string File, string Tier, long StartNs, long EndNs, long Bytes, long? Events = null, long? Lost = null)
{
    /// <summary>CPU time used by the collector's threads for this stream, ns; null if not measured.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? CpuNs { get; init; }

    /// <summary>Time that the recording waited for the disk with all its buffers full, ns; null if it never
    /// waited.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? StalledNs { get; init; }

    /// <summary>Time from one poll of the threads to the next, ns; null if the stream is not polled.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? PollStepNs { get; init; }

    /// <summary>Either system or target if the tier supports both; null otherwise.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Scope { get; init; }

    /// <summary>The damage that `decode` found in the file; null if none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Damage { get; init; }
}

public sealed record Refusal(string Stream, string Wanted, string Why, string How);

/// <param name="TimeNs">The time at which the memory was read.</param>
/// <param name="Goal">The number of threads that the pool wanted; null if unknown.</param>
/// <param name="QueueLength">Items in all queues.</param>
/// <param name="Queued">Queued items by the method they call, most frequent first. The counts may be inconsistent,
/// because a running process changes its memory during the read.</param>
public sealed record LookInfo(long TimeNs, int Minimum, int Maximum, int? Goal, int QueueLength, IReadOnlyList<QueuedInfo> Queued);

/// <param name="Kind">Either delegate, task, state machine, timer or the item's type.</param>
public sealed record QueuedInfo(string Method, string Kind, int Count);
