using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.Look.Lines;

/// <summary>Writes and reads lines. The code is generated: what reflection takes to start is a part of each look.</summary>
[JsonSerializable(typeof(LookLine))]
public sealed partial class LookJson : JsonSerializerContext
{
    private static readonly LookJson Plain = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, // method names keep their angle brackets
    });

    public static string Text(LookLine line) => JsonSerializer.Serialize(line, Plain.LookLine);

    /// <returns>Null: not a whole line, as the last one of a reader that was killed.</returns>
    public static LookLine? Parse(string text)
    {
        try
        {
            return JsonSerializer.Deserialize(text, Plain.LookLine);
        }
        catch (JsonException)
        {
            return null;
        }
    }
}
