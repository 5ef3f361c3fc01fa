using System.Buffers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.Look.Lines;

/// <summary>Writes and reads lines. The code that the JSON library compiles to learn a type would take longer than the
/// rest of a look. So generated code writes the lines, and this class reads them.</summary>
[JsonSourceGenerationOptions(GenerationMode = JsonSourceGenerationMode.Serialization, PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(LookLine))]
public sealed partial class LookJson : JsonSerializerContext
{
    public static string Text(LookLine line)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            Default.LookLineSerializeHandler(writer, line);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    /// <returns>Null if the text is not a whole line, such as the last one of a killed reader.</returns>
    public static LookLine? Parse(string text)
    {
        try
        {
            using var document = JsonDocument.Parse(text);
            return Line(document.RootElement);
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            return null;
        }
    }

    private static LookLine Line(JsonElement line) => new()
    {
        Runtime = Get(line, "runtime") is { } runtime ? new RuntimeLine(Word(runtime, "version"), Word(runtime, "library")!, Words(runtime, "modules")!) : null,
        Pool = Get(line, "pool") is { } pool ? Pool(pool) : null,
        Queues = Get(line, "queues") is { } queues ? Queues(queues) : null,
        Threads = Number(line, "threads"),
        Thread = Get(line, "thread") is { } thread ? Thread(thread) : null,
        Lock = Get(line, "lock") is { } held ? new LockLine(Word(held, "type")!, Get(held, "owner")?.GetUInt32(), Number(held, "waiting")) : null,
        Timer = Get(line, "timer") is { } timer ? new TimerLine(Word(timer, "method")!, Number(timer, "count")!.Value, timer.GetProperty("late_ms").GetInt64()) : null,
        Error = Word(line, "error"),
        Complete = Get(line, "complete")?.GetBoolean(),
    };

    private static PoolLine Pool(JsonElement pool) => new(
        Number(pool, "minimum"),
        Number(pool, "maximum"),
        Number(pool, "goal"),
        Number(pool, "active"),
        Number(pool, "idle"),
        Get(pool, "completed")?.GetInt64(),
        pool.GetProperty("at_ms").GetInt64(),
        Number(pool, "runnable"));

    private static QueuesLine Queues(JsonElement queues) => new(
        [.. queues.GetProperty("queues").EnumerateArray().Select(queue => new QueueLine(Word(queue, "name")!, Number(queue, "length")!.Value, queue.GetProperty("taken").GetInt64()))],
        [.. queues.GetProperty("items").EnumerateArray().Select(item => new QueuedItems(Word(item, "method")!, Word(item, "kind")!, Number(item, "count")!.Value))],
        queues.GetProperty("complete").GetBoolean());

    private static ThreadLine Thread(JsonElement thread) => new(
        thread.GetProperty("os_id").GetUInt32(),
        Number(thread, "managed_id")!.Value,
        thread.GetProperty("pool").GetBoolean(),
        Word(thread, "state"),
        thread.GetProperty("native").GetBoolean(),
        Words(thread, "frames")!,
        Words(thread, "places"));

    private static JsonElement? Get(JsonElement of, string name) => of.TryGetProperty(name, out var value) && value.ValueKind != JsonValueKind.Null ? value : null;

    private static int? Number(JsonElement of, string name) => Get(of, name)?.GetInt32();

    private static string? Word(JsonElement of, string name) => Get(of, name)?.GetString();

    private static string[]? Words(JsonElement of, string name) => Get(of, name) is { } words ? [.. words.EnumerateArray().Select(word => word.GetString()!)] : null;
}
