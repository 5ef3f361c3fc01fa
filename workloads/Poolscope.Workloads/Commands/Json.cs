using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.Workloads.Commands;

/// <summary>How this command writes JSON: snake_case keys, null if there is nothing to say.</summary>
internal static class Json
{
    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,

        // It goes to a terminal or a file, never into a web page: no need to escape a plus or an apostrophe.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.KebabCaseLower) },
    };

    private static readonly JsonSerializerOptions OnOneLine = new(Options) { WriteIndented = false };

    public static void Write<T>(TextWriter output, T value) => output.WriteLine(JsonSerializer.Serialize(value, Options));

    /// <exception cref="JsonException">It is no such value.</exception>
    public static T? Read<T>(string text) => JsonSerializer.Deserialize<T>(text, Options);

    /// <summary>The same without line breaks, for streams of values.</summary>
    public static void WriteLine<T>(TextWriter output, T value) => output.WriteLine(JsonSerializer.Serialize(value, OnOneLine));
}
