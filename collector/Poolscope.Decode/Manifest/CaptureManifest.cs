using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Poolscope.Decode.Errors;
using Poolscope.Tables;

namespace Poolscope.Decode.Manifest;

/// <summary>capture.json: what a capture is, of whom, and what it could not have. The meaning of every key stands in
/// traces/README.md. Times are CLOCK_MONOTONIC ns.</summary>
public sealed record CaptureManifest
{
    /// <summary>File name of the manifest inside the capture folder.</summary>
    public const string FileName = "capture.json";

    /// <summary>The format that this program writes, and the only one that it reads; `format` of traces/schema.json.</summary>
    public const int KnownFormat = 1;

    // Bytes. A command line may be long; everything else is a few kB.
    private const long LargestFile = 16L << 20;

    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,

        // Null is no text, and no list.
        RespectNullableAnnotations = true,
        RespectRequiredConstructorParameters = true,

        // A command line may hold anything; the file is data, never a page.
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public required int Format { get; init; }

    public required ToolInfo Tool { get; init; }

    /// <summary>One of <see cref="CaptureStatus"/>.</summary>
    public required string Status { get; init; }

    /// <summary>One of <see cref="StopReason"/>; null while recording.</summary>
    public string? Stop { get; init; }

    public required ClockInfo Clock { get; init; }

    public required HostInfo Host { get; init; }

    public required TargetInfo Target { get; init; }

    /// <summary>What whoever recorded it says of it, such as `service` and `version`; null: nothing.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, string>? Labels { get; init; }

    /// <summary>Files of other tools that the capture was made from; null: Poolscope recorded it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<SourceFile>? MadeFrom { get; init; }

    /// <summary>Whose items the tables hold, as `decode` found out; null: the runtime's own pool.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public PoolInfo? Pool { get; init; }

    /// <summary>The pool as the recorder found it in the process's memory when it attached; null: it did not look, or could not.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public LookInfo? Look { get; init; }

    /// <summary>The same when the recording ended, or, of an incident of `watch`, when its condition was met; null: it did not look,
    /// or could not.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public LookInfo? LookAtEnd { get; init; }

    /// <summary>Rows of each table, as `decode` wrote them: a table that was lost or emptied since then shows. Null: not decoded.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, long>? Tables { get; init; }

    public IReadOnlyList<Phase> Phases { get; init; } = [];

    public IReadOnlyList<StreamInfo> Streams { get; init; } = [];

    public IReadOnlyList<Refusal> Refused { get; init; } = [];

    /// <exception cref="FileNotFoundException">The folder has no manifest: it is no capture.</exception>
    /// <exception cref="CaptureRefusedException">It is of another format.</exception>
    /// <exception cref="JsonException">The manifest is no JSON of this shape.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    public static CaptureManifest Load(string folder)
    {
        var file = new FileInfo(Path.Combine(folder, FileName));
        if (file.Length is 0 or > LargestFile) // pipes and devices have no length
        {
            throw new JsonException(file.Length == 0 ? "it is empty." : "it is too large.");
        }

        var bytes = File.ReadAllBytes(file.FullName);
        RequireKnownFormat(bytes, file.FullName);
        return JsonSerializer.Deserialize<CaptureManifest>(bytes, Json) ?? throw new JsonException("it is null.");
    }

    /// <summary>Before anything else is examined: in another format, everything else may look different.</summary>
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
        Path.Combine(folder, FileName), stream => JsonSerializer.Serialize(stream, this, Json));
}

/// <summary>Values of <see cref="CaptureManifest.Status"/>.</summary>
public static class CaptureStatus
{
    public const string Recording = "recording";
    public const string Complete = "complete";
    public const string Cut = "cut";

    /// <summary>Every stream ended as it should, and events were lost, or the runtime's stream could not be had at all.</summary>
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

    /// <summary>No WaitHandleWait events: of blocking, only lock contention and waits for tasks have events.</summary>
    public const string NoWaitHandleEvents = "no-wait-handle-events";
}

/// <param name="Name">Of the recorder.</param>
/// <param name="Version">Of the recorder.</param>
/// <param name="Pid">Its process, as the kernel's stream shows it; null: what recorded it is not known, or has ended before.</param>
public sealed record ToolInfo(
    string Name,
    string Version,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] int? Pid = null);

/// <summary>A file that another tool recorded.</summary>
/// <param name="File">What it is called inside the capture folder.</param>
/// <param name="From">What it was called, without its folder.</param>
/// <param name="Format">One of <see cref="SourceFormat"/>.</param>
public sealed record SourceFile(string File, string From, string Format);

/// <summary>Values of <see cref="SourceFile.Format"/>.</summary>
public static class SourceFormat
{
    /// <summary>EventPipe, as dotnet-trace and dotnet-monitor write it.</summary>
    public const string Nettrace = "nettrace";

    /// <summary>As `perf record` writes it.</summary>
    public const string PerfData = "perf.data";

    /// <summary>The text that `perf script` prints.</summary>
    public const string PerfScript = "perf-script";
}

public sealed record ClockInfo(string Id, long StartNs, DateTime StartUtc);

public sealed record HostInfo(string Name, string Os, string Kernel, string Architecture, int CpusOnline, long MemoryBytes);

public sealed record TargetInfo
{
    /// <summary>The first version of .NET whose locks name their owner by its managed thread id, and not by its OS thread id.</summary>
    public const int FirstWithManagedOwners = 11;

    public required int Pid { get; init; }

    public required string Name { get; init; }

    public required IReadOnlyList<string> Command { get; init; }

    public required bool Launched { get; init; }

    public int? ExitCode { get; init; }

    public string? Runtime { get; init; }

    /// <summary>10 for ".NET 10.0.12"; null: not known, or of .NET Framework.</summary>
    [JsonIgnore]
    public int? RuntimeMajor => Runtime is null || Runtime.Contains("Framework", StringComparison.Ordinal) ? null : Major(Runtime);

    /// <summary>What this runtime cannot do, and a newer one can; values of <see cref="RuntimeLimit"/>.</summary>
    public IReadOnlyList<string> Limits { get; init; } = [];

    /// <summary>When the process started, on the capture's clock, to 10 ms; null: unknown.</summary>
    public long? ProcessStartNs { get; init; }

    public required int CpusAllowed { get; init; }

    /// <summary>CPUs' worth of time that the cgroup allows; null: no quota.</summary>
    public double? CpuQuota { get; init; }

    public required int ProcessorCount { get; init; }

    public required KnownValue MinThreads { get; init; }

    public required KnownValue MaxThreads { get; init; }

    /// <returns>10 for ".NET 10.0.12"; null: unknown.</returns>
    public static int? Major(string? runtime) =>
        runtime?.Split(' ')[^1].Split('.')[0] is { } text && int.TryParse(text, CultureInfo.InvariantCulture, out var major) ? major : null;

    /// <summary>Which assemblies are the application's own; null: not known.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public OwnInfo? Own { get; init; }
}

/// <summary>The code that the application ships as its own.</summary>
/// <param name="Entry">The entry assembly, without extension.</param>
/// <param name="Assemblies">It and the others, without extension, in order.</param>
public sealed record OwnInfo(string Entry, IReadOnlyList<string> Assemblies);

/// <param name="Known">environment, runtimeconfig, default or <see cref="Look"/>.</param>
public sealed record KnownValue(int Value, string Known)
{
    /// <summary>Read from the process's memory.</summary>
    public const string Look = "look";
}

/// <summary>A reference pool of the bundled workloads.</summary>
/// <param name="Provider">Who tells of it.</param>
/// <param name="Name">What it calls itself; several pools of one run separated by commas.</param>
/// <param name="OtherItems">Items of the runtime's own pool, which are in no table.</param>
public sealed record PoolInfo(string Provider, string Name, long OtherItems);

public sealed record Phase(string Name, long StartNs, long EndNs);

public sealed record StreamInfo(string File, string Tier, long StartNs, long EndNs, long Bytes, long? Events = null, long? Lost = null)
{
    /// <summary>CPU time that the collector's threads for this stream used; null: not measured.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? CpuNs { get; init; }

    /// <summary>How long the recording waited for the disk with all its buffers full, ns; null: never.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? StalledNs { get; init; }

    /// <summary>From one look at the threads to the next; null: the stream is not polled.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? PollStepNs { get; init; }

    /// <summary>system or target, where the tier knows both; null: it does not.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Scope { get; init; }

    /// <summary>What of the file cannot be true, as `decode` found out; null: nothing.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Damage { get; init; }
}

public sealed record Refusal(string Stream, string Wanted, string Why, string How);

/// <param name="TimeNs">When the memory was read.</param>
/// <param name="Goal">How many threads the pool wanted; null: not known.</param>
/// <param name="QueueLength">Items in all queues.</param>
/// <param name="Queued">These by what they call, most first; the memory of a running process may change while it is read.</param>
public sealed record LookInfo(long TimeNs, int Minimum, int Maximum, int? Goal, int QueueLength, IReadOnlyList<QueuedInfo> Queued);

/// <param name="Kind">delegate, task, state machine, timer or the item's type.</param>
public sealed record QueuedInfo(string Method, string Kind, int Count);
