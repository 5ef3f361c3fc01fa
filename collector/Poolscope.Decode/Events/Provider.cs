using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Decodes the events of one family by their ids.</summary>
/// <returns>False: the id is none of this family's.</returns>
internal delegate bool EventFamily(in RawEvent e, IRuntimeEvents sink);

/// <summary>A source of events.</summary>
/// <param name="name">Its name. Nettrace carries names only, and TraceEvent hashes them to a GUID.</param>
/// <param name="manifestGuid">The GUID of its manifest, which ETW carries and which may differ from the hash; null: it does not.</param>
/// <param name="families">The events that it may write.</param>
internal sealed class Provider(string name, string? manifestGuid, params EventFamily[] families)
{
    private readonly Guid _hashed = TraceEventProviders.GetEventSourceGuidFromName(name);
    private readonly Guid _manifest = manifestGuid is null ? TraceEventProviders.GetEventSourceGuidFromName(name) : Guid.Parse(manifestGuid);

    /// <summary>More events that it may write: those of the runtime's own pool.</summary>
    public EventFamily[] OwnPool { get; init; } = [];

    public bool Wrote(Guid provider) => provider == _hashed || provider == _manifest;

    /// <param name="ownPool">False: the events of the runtime's own pool are left out.</param>
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
