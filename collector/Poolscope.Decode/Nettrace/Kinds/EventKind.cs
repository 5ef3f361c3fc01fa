using System.Buffers.Binary;
using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>The kind of event that a metadata id of a .nettrace file denotes.</summary>
/// <param name="ProviderId">A hash of the provider's name; the file holds only the name.</param>
internal sealed record EventKind(string Provider, Guid ProviderId, int EventId)
{
    private const string Framework = "System.Diagnostics.Eventing.FrameworkEventSource";

    /// <summary>Whether the event is an enqueue or a dequeue of the runtime's pool.</summary>
    public ItemEvent Item { get; } = (Provider, EventId) switch
    {
        (Framework, 30) => ItemEvent.Enqueue,
        (Framework, 31) => ItemEvent.Dequeue,
        _ => ItemEvent.None,
    };

    /// <summary>The event's name; empty if not reported, as for the runtime's native events before version 6. In
    /// version 6, the name distinguishes events that have no id of their own.</summary>
    public string Name { get; init; } = "";

    /// <summary>The id in the file, which differs from <see cref="EventId"/> if that is one of Poolscope's
    /// own.</summary>
    public int IdInFile { get; init; } = EventId;

    /// <summary>The names of the fields with their type codes, as "a:10 b:6"; version 6 only.</summary>
    public string Fields { get; init; } = "";

    /// <summary>Reads the payload of a metadata event: metadata id, provider name as zero-terminated UTF-16, event id,
    /// event name likewise, keywords (i64). Version, level and fields follow and are not read.</summary>
    /// <param name="anyProvider">Accept providers that Poolscope does not know.</param>
    /// <exception cref="NettraceDamage">The payload is too short, or no such event exists.</exception>
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
