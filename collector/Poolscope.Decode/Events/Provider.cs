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

    public bool Wrote(Guid provider) => provider == _hashed || provider == _manifest;

    public void Decode(in RawEvent e, IRuntimeEvents sink)
    {
        foreach (var family in families)
        {
            if (family(e, sink))
            {
                return;
            }
        }
    }
}
