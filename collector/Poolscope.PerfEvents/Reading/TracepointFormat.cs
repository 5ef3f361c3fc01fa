using System.Buffers.Binary;

namespace Poolscope.PerfEvents.Reading;

/// <summary>The position of an integer in a tracepoint's raw bytes.</summary>
internal readonly record struct TracepointField(int Offset, int Size)
{
    internal int End => Offset + Size;

    /// <summary>Returns the value, sign-extended. The record must reach to <see cref="End"/>.</summary>
    internal long Read(ReadOnlySpan<byte> raw) => Size switch
    {
        1 => (sbyte)raw[Offset],
        2 => BinaryPrimitives.ReadInt16LittleEndian(raw[Offset..]),
        4 => BinaryPrimitives.ReadInt32LittleEndian(raw[Offset..]),
        _ => BinaryPrimitives.ReadInt64LittleEndian(raw[Offset..]),
    };
}

/// <summary>A tracepoint's `format` file, parsed. Fields move, appear and disappear between kernels.</summary>
internal sealed class TracepointFormat
{
    // The kernel limits a record to 64 KiB.
    private const int LastOffset = ushort.MaxValue;

    private readonly Dictionary<string, TracepointField> _fields = [];
    private readonly Dictionary<string, TracepointField> _arrays = [];

    private TracepointFormat(string name, ulong id) => (Name, Id) = (name, id);

    internal string Name { get; }

    /// <summary>The `config` of the tracepoint's attribute.</summary>
    internal ulong Id { get; }

    /// <exception cref="InvalidDataException">The text is not a format file.</exception>
    internal static TracepointFormat Parse(string text)
    {
        var lines = text.Split('\n', StringSplitOptions.TrimEntries);
        if (Value(lines, "name:") is not { } name || !ulong.TryParse(Value(lines, "ID:"), out var id))
        {
            throw new InvalidDataException("A tracepoint's format text has no name or no ID.");
        }

        var format = new TracepointFormat(name, id);
        foreach (var line in lines)
        {
            // field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
            var parts = line.Split(';', StringSplitOptions.TrimEntries);
            if (parts.Length >= 3 && Value(parts[..1], "field:") is { } declaration
                && int.TryParse(Value(parts, "offset:"), out var offset)
                && int.TryParse(Value(parts, "size:"), out var size)
                && offset is >= 0 and <= LastOffset)
            {
                var field = declaration[(declaration.LastIndexOf(' ') + 1)..];
                var bracket = field.IndexOf('[', StringComparison.Ordinal);
                if (bracket > 0 && size is > 0 and <= LastOffset)
                {
                    format._arrays[field[..bracket]] = new TracepointField(offset, size);
                }
                else if (size is 1 or 2 or 4 or 8)
                {
                    format._fields[field] = new TracepointField(offset, size);
                }
            }
        }

        return format;
    }

    /// <summary>Returns whether the tracepoint has an integer of this name.</summary>
    internal bool Has(string field) => _fields.ContainsKey(field);

    /// <summary>Returns an array of bytes.</summary>
    /// <exception cref="InvalidDataException">This kernel's tracepoint has no array of this name, or a smaller
    /// one.</exception>
    internal TracepointField Bytes(string field, int atLeast) => _arrays.TryGetValue(field, out var found) && found.Size >= atLeast
        ? found
        : throw new InvalidDataException($"Tracepoint {Name} has no {atLeast} bytes {field}.");

    /// <exception cref="InvalidDataException">This kernel's tracepoint has no such integer.</exception>
    internal TracepointField this[string field] => _fields.TryGetValue(field, out var found)
        ? found
        : throw new InvalidDataException($"Tracepoint {Name} has no integer field {field}.");

    private static string? Value(IEnumerable<string> lines, string key) =>
        lines.FirstOrDefault(l => l.StartsWith(key, StringComparison.Ordinal))?[key.Length..].Trim();
}
