using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>Reads what a file of version 6 says of the kinds of its events.</summary>
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
    /// <param name="anyProvider">Providers that are not known here are taken.</param>
    /// <exception cref="NettraceDamage">A description is incomplete, or there is no such event.</exception>
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

    /// <summary>Provider's name, event's id, its name, fields, and what else there is.</summary>
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

    /// <summary>one-collect writes these where the runtime told it no name.</summary>
    private static bool IsTold(string name) =>
        name.Length > 0 && !((name.StartsWith("Unknown(", StringComparison.Ordinal) || name.StartsWith("Missing(", StringComparison.Ordinal)) && name.EndsWith(')'));

    /// <summary>Names with the codes of their types, as "a:10 b:6".</summary>
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

    /// <returns>Null: they are not reported.</returns>
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
                    return keywords; // of a later version
            }
        }

        return keywords;
    }
}
