using System.Text.Json;
using System.Text.Json.Serialization;

namespace Poolscope.Tables;

/// <summary>How a column is stored; see "conventions" in schema.json.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<ColumnType>))]
public enum ColumnType
{
    [JsonStringEnumMemberName("int16")] Int16,
    [JsonStringEnumMemberName("int32")] Int32,
    [JsonStringEnumMemberName("int64")] Int64,
    [JsonStringEnumMemberName("float64")] Float64,
    [JsonStringEnumMemberName("enum")] Enum,
    [JsonStringEnumMemberName("flags")] Flags,
    [JsonStringEnumMemberName("string")] String,
}

/// <summary>One column as traces/schema.json defines it.</summary>
/// <param name="Values">Names of an enum's values (by index) or of the bits of flags; otherwise empty.</param>
public sealed record ColumnSchema(string Name, ColumnType Type, string What, string? Unit = null, IReadOnlyList<string>? Values = null);

/// <summary>One table as traces/schema.json defines it.</summary>
public sealed record TableSchema(string Name, string What, IReadOnlyList<ColumnSchema> Columns);

/// <summary>The tables of a capture, read from the schema.json that this assembly was built with.</summary>
public sealed class Schema
{
    private readonly Dictionary<string, TableSchema> _tables;

    private Schema(int format, Dictionary<string, TableSchema> tables)
    {
        Format = format;
        _tables = tables;
    }

    /// <summary>The schema that this build writes.</summary>
    public static Schema Current { get; } = Load();

    /// <summary>Version of the capture format, also written to capture.json.</summary>
    public int Format { get; }

    public IReadOnlyCollection<TableSchema> Tables => _tables.Values;

    /// <exception cref="KeyNotFoundException">The schema has no table of this name.</exception>
    public TableSchema this[string table] => _tables[table];

    private static Schema Load()
    {
        using var stream = typeof(Schema).Assembly.GetManifestResourceStream("schema.json")
            ?? throw new InvalidOperationException("schema.json is not embedded in Poolscope.Tables.");
        var file = JsonSerializer.Deserialize(stream, SchemaJson.Default.SchemaFile)
            ?? throw new InvalidOperationException("schema.json is empty.");
        return new Schema(
            file.Format,
            file.Tables.ToDictionary(t => t.Key, t => new TableSchema(t.Key, t.Value.What, t.Value.Columns)));
    }
}

/// <summary>The contents of schema.json.</summary>
internal sealed record SchemaFile(int Format, Dictionary<string, TableFile> Tables);

/// <summary>A table in schema.json.</summary>
internal sealed record TableFile(string What, IReadOnlyList<ColumnSchema> Columns);

/// <summary>Reads schema.json with code generated at build time: reflection would compile hundreds of methods at each
/// start.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(SchemaFile))]
internal sealed partial class SchemaJson : JsonSerializerContext;
