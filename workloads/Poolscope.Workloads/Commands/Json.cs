using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.Workloads.Commands;

/// <summary>Writes JSON with snake_case keys, and null if there is no value.</summary>
internal static class Json
{
    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,

        // The output goes to a terminal or a file, never into a web page, so a plus or an apostrophe needs no escaping.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.KebabCaseLower) },
    };

    private static readonly JsonSerializerOptions OnOneLine = new(Options) { WriteIndented = false };

    public static void Write<T>(TextWriter output, T value) => output.WriteLine(JsonSerializer.Serialize(value, Options));

    /// <exception cref="JsonException">The text is not such a value.</exception>
    public static T? Read<T>(string text) => JsonSerializer.Deserialize<T>(text, Options);

    /// <summary>Writes a value without line breaks, for streams of values.</summary>
    public static void WriteLine<T>(TextWriter output, T value) => output.WriteLine(JsonSerializer.Serialize(value, OnOneLine));
}
