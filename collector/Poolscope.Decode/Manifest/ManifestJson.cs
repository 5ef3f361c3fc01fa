using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.Decode.Manifest;

/// <summary>Reads and writes the manifest. The code is generated at build time: reflection would compile hundreds of
/// methods at each start. A list that the file omits arrives as null, whatever its initial value.</summary>
[JsonSourceGenerationOptions(GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(CaptureManifest))]
internal sealed partial class ManifestJson : JsonSerializerContext
{
    internal static ManifestJson Shared { get; } = new(new JsonSerializerOptions(JsonSerializerDefaults.Web)
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,

        // Reject null in place of a text or a list.
        RespectNullableAnnotations = true,
        RespectRequiredConstructorParameters = true,

        // A command line may hold any character, and the file is never embedded in a page.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });
}
