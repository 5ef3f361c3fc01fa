using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Poolscope.Decode.Manifest;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>capture.json holds the members that traces/schema.json describes.</summary>
public sealed class ManifestContractTests
{
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
    };

    public static TheoryData<string, Type> Parts { get; } = new()
    {
        { "Manifest", typeof(CaptureManifest) },
        { "Tool", typeof(ToolInfo) },
        { "Clock", typeof(ClockInfo) },
        { "Host", typeof(HostInfo) },
        { "Target", typeof(TargetInfo) },
        { "KnownThreads", typeof(KnownValue) },
        { "Own", typeof(OwnInfo) },
        { "SourceFile", typeof(SourceFile) },
        { "Pool", typeof(PoolInfo) },
        { "Look", typeof(LookInfo) },
        { "Queued", typeof(QueuedInfo) },
        { "Phase", typeof(Phase) },
        { "Stream", typeof(StreamInfo) },
        { "Refusal", typeof(Refusal) },
    };

    [Theory]
    [MemberData(nameof(Parts))]
    public void Every_key_is_in_the_schema_and_no_other(string definition, Type type)
    {
        var keys = Definitions().GetProperty(definition).GetProperty("properties").EnumerateObject().Select(key => key.Name);
        Assert.Equal(keys.Order(StringComparer.Ordinal), Json.GetTypeInfo(type).Properties.Where(property => property.Get is not null).Select(property => property.Name).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Every_object_of_the_schema_is_held_to_a_type()
    {
        var objects = Definitions().EnumerateObject().Where(each => each.Value.TryGetProperty("properties", out _)).Select(each => each.Name);
        Assert.Equal(objects.Order(StringComparer.Ordinal), Parts.Select(part => part.Data.Item1).Order(StringComparer.Ordinal));
    }

    private static JsonElement Definitions()
    {
        using var stream = typeof(Schema).Assembly.GetManifestResourceStream("schema.json")!;
        return JsonDocument.Parse(stream).RootElement.GetProperty("manifest");
    }
}
