using System.Buffers.Binary;
using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>What a metadata id of a .nettrace file stands for.</summary>
/// <param name="ProviderId">A hash of the provider's name, which is all that the file holds.</param>
internal sealed record EventKind(string Provider, Guid ProviderId, int EventId)
{
    private const string Framework = "System.Diagnostics.Eventing.FrameworkEventSource";

    /// <summary>Whether it is an enqueue or a dequeue of the runtime's pool.</summary>
    public ItemEvent Item { get; } = (Provider, EventId) switch
    {
        (Framework, 30) => ItemEvent.Enqueue,
        (Framework, 31) => ItemEvent.Dequeue,
        _ => ItemEvent.None,
    };

    /// <summary>The event's name; empty: not reported, as of the runtime's native events before version 6. Of version 6 it distinguishes events that have no ids of their own.</summary>
    public string Name { get; init; } = "";

    /// <summary>The id in the file, where <see cref="EventId"/> is one of ours.</summary>
    public int IdInFile { get; init; } = EventId;

    /// <summary>Of version 6: the names of its fields with the codes of their types, as "a:10 b:6".</summary>
    public string Fields { get; init; } = "";

    /// <summary>Reads the payload of a metadata event: id, provider's name as zero-terminated UTF-16, event id, its name
    /// likewise, keywords (i64); version, level and fields follow.</summary>
    /// <param name="anyProvider">Providers that are not known here are taken.</param>
    /// <exception cref="NettraceDamage">It is too short for that, or there is no such event.</exception>
    public static (int Id, EventKind Kind) Read(ReadOnlySpan<byte> payload, bool anyProvider = false)
    {
        if (payload.Length < sizeof(int) || !Utf16.TryRead(payload, sizeof(int), out var provider, out var next)
            || !Utf16.TryRead(payload, next + sizeof(int), out var name, out var keywords) || payload.Length - keywords < sizeof(long))
        {
            throw new NettraceDamage("the description of an event is incomplete");
        }

        var id = BinaryPrimitives.ReadInt32LittleEndian(payload[next..]);
        KnownEvents.Check(provider, id, name, BinaryPrimitives.ReadInt64LittleEndian(payload[keywords..]), anyProvider);
        return (
            BinaryPrimitives.ReadInt32LittleEndian(payload),
            new EventKind(provider, TraceEventProviders.GetEventSourceGuidFromName(provider), KnownEvents.IdOf(provider, id, name))
            {
                Name = name,
                IdInFile = id,
            });
    }
}
