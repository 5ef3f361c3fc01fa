using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Decodes the events of one family by their ids.</summary>
/// <returns>False if the id is not one of this family.</returns>
internal delegate bool EventFamily(in RawEvent e, IRuntimeEvents sink);

/// <summary>A source of events.</summary>
/// <param name="name">The provider's name. Nettrace holds only names, which TraceEvent hashes to GUIDs.</param>
/// <param name="manifestGuid">The GUID of the provider's manifest, which ETW holds and which may differ from the hash;
/// null for the hash.</param>
/// <param name="families">The events that the provider may write.</param>
internal sealed class Provider(string name, string? manifestGuid, params EventFamily[] families)
{
    private readonly Guid _hashed = TraceEventProviders.GetEventSourceGuidFromName(name);
    private readonly Guid _manifest = manifestGuid is null ? TraceEventProviders.GetEventSourceGuidFromName(name) : Guid.Parse(manifestGuid);

    /// <summary>Further events that the provider may write: those of the runtime's own pool.</summary>
    public EventFamily[] OwnPool { get; init; } = [];

    public bool Wrote(Guid provider) => provider == _hashed || provider == _manifest;

    /// <param name="ownPool">False to skip the events of the runtime's own pool.</param>
    public void Decode(in RawEvent e, IRuntimeEvents sink, bool ownPool)
    {
        if (!ownPool || !IsTaken(OwnPool, e, sink))
        {
            IsTaken(families, e, sink);
        }
    }

    private static bool IsTaken(EventFamily[] by, in RawEvent e, IRuntimeEvents sink)
    {
        foreach (var family in by)
        {
            if (family(e, sink))
            {
                return true;
            }
        }

        return false;
    }
}
