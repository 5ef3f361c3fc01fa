using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>Reads the descriptions of event kinds in a file of version 6.</summary>
internal static class EventDescriptions
{
    private const int OpCode = 1;
    private const int Keyword = 3;
    private const int MessageTemplate = 4;
    private const int Description = 5;
    private const int KeyValue = 6;
    private const int ProviderGuid = 7;
    private const int Level = 8;
    private const int Version = 9;

    /// <summary>Adds the kinds that a block describes.</summary>
    /// <param name="anyProvider">Accept providers that Poolscope does not know.</param>
    /// <exception cref="NettraceDamage">A description is incomplete, or no such event exists.</exception>
    public static void Read(ReadOnlySpan<byte> block, bool anyProvider, EventKinds kinds)
    {
        var bytes = new BlockBytes(block);
        for (bytes.Take(bytes.UInt16()); !bytes.IsEmpty;)
        {
            var row = new BlockBytes(bytes.Take(bytes.UInt16()));
            var number = (int)row.Variable();
            kinds.Add(number, Kind(ref row, anyProvider));
        }
    }

    /// <summary>Reads a row: provider name, event id, event name, fields, then optional attributes.</summary>
    private static EventKind Kind(ref BlockBytes row, bool anyProvider)
    {
        var provider = row.Text();
        var id = (int)row.Variable();
        var name = row.Text();
        var fields = Fields(ref row);
        var told = IsTold(name) ? name : null;
        KnownEvents.Check(provider, id, told, Keywords(new BlockBytes(row.Take(row.UInt16()))), anyProvider);
        return new EventKind(provider, TraceEventProviders.GetEventSourceGuidFromName(provider), KnownEvents.IdOf(provider, id, name))
        {
            Name = name,
            IdInFile = id,
            Fields = fields,
        };
    }

    /// <summary>Returns whether the runtime gave the event a name. one-collect writes Unknown(...) or Missing(...) if
    /// it did not.</summary>
    private static bool IsTold(string name) =>
        name.Length > 0 && !((name.StartsWith("Unknown(", StringComparison.Ordinal) || name.StartsWith("Missing(", StringComparison.Ordinal)) && name.EndsWith(')'));

    /// <summary>Reads the names of the fields with their type codes, as "a:10 b:6".</summary>
    private static string Fields(ref BlockBytes row)
    {
        var fields = new string[row.UInt16() is var count && count <= row.Length ? count : throw new NettraceDamage("the description of an event is incomplete")];
        for (var i = 0; i < fields.Length; i++)
        {
            var field = new BlockBytes(row.Take(row.UInt16()));
            fields[i] = $"{field.Text()}:{field.Byte()}";
        }

        return string.Join(' ', fields);
    }

    /// <returns>Null if no keywords are reported.</returns>
    private static long? Keywords(BlockBytes told)
    {
        long? keywords = null;
        while (!told.IsEmpty)
        {
            switch (told.Byte())
            {
                case OpCode or Level or Version:
                    told.Byte();
                    break;
                case Keyword:
                    keywords = told.Int64();
                    break;
                case MessageTemplate or Description:
                    told.Counted();
                    break;
                case KeyValue:
                    told.Counted();
                    told.Counted();
                    break;
                case ProviderGuid:
                    told.Guid();
                    break;
                default:
                    return keywords; // an attribute of a later version
            }
        }

        return keywords;
    }
}
