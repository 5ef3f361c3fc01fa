using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.PerfEvents.Format;

/// <summary>sched.meta.json: the information that a reader needs while the header of sched.perf.data is incomplete. The
/// recorder writes it before the first record, so a recording cut off by a crash still decodes.</summary>
internal sealed record SchedulerMeta
{
    private const int CurrentFormat = 1;

    // Bytes. Ids take the most: one per event and CPU.
    private const long LargestFile = 64L << 20;

    public int Format { get; init; } = CurrentFormat;

    /// <summary>The clock of all times in the file.</summary>
    public string Clock { get; init; } = "CLOCK_MONOTONIC";

    /// <summary>The offset of the first record in the data file, bytes.</summary>
    public required long DataOffset { get; init; }

    public required IReadOnlyList<Event> Events { get; init; }

    /// <summary>The one process whose records were kept; null: all processes.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? OnlyPid { get; init; }

    internal static SchedulerMeta Of(long dataOffset, IEnumerable<RecordedEvent> events) => new()
    {
        DataOffset = dataOffset,
        Events = [.. events.Select(e => new Event(e.Name, e.Attr.ToArray(), e.Ids, e.Format))],
    };

    internal IReadOnlyList<RecordedEvent> ToRecordedEvents() =>
        [.. Events.Select(e => new RecordedEvent(e.Name, PerfEventAttr.Read(e.Attr), e.Ids, e.TracepointFormat))];

    /// <summary>Writes the file through to the disk: it is needed if nothing later gets written.</summary>
    internal void Save(string path)
    {
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write);
        JsonSerializer.Serialize(file, this, MetaJson.Shared.SchedulerMeta);
        file.Write("\n"u8);
        file.Flush(flushToDisk: true);
    }

    /// <exception cref="InvalidDataException">The file is missing, damaged, or of a later format.</exception>
    internal static SchedulerMeta Load(string path)
    {
        try
        {
            // A pipe or a device has no length, and reading it would not end.
            var meta = new FileInfo(path).Length is > 0 and <= LargestFile ? JsonSerializer.Deserialize(File.ReadAllBytes(path), MetaJson.Shared.SchedulerMeta) : null;
            if (meta is { Format: CurrentFormat, DataOffset: >= PerfFileHeader.Bytes, Events: not null }
                && meta.Events.All(e => e is { Name: not null, Attr: not null, Ids: not null }))
            {
                return meta;
            }
        }
        catch (JsonException)
        {
            // Reported below, without position and parser state, which would not help the user.
        }
        catch (FileNotFoundException)
        {
            throw new InvalidDataException($"The recording was cut, and {Path.GetFileName(path)}, which would still make it readable, is missing.");
        }

        throw new InvalidDataException($"{Path.GetFileName(path)} is damaged or of another version.");
    }

    /// <param name="Attr">struct perf_event_attr, base64 in the file.</param>
    /// <param name="TracepointFormat">Text of the tracepoint's `format` file; null for other events.</param>
    public sealed record Event(string Name, byte[] Attr, IReadOnlyList<ulong> Ids, string? TracepointFormat);
}

/// <summary>Reads and writes sched.meta.json with code generated at build time.</summary>
[JsonSourceGenerationOptions(GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(SchedulerMeta))]
internal sealed partial class MetaJson : JsonSerializerContext
{
    internal static MetaJson Shared { get; } = new(new JsonSerializerOptions(JsonSerializerDefaults.Web)
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });
}
