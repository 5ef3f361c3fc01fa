using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Finds the provider of an event and lets it decode the payload. Providers that nobody declared are passed over.</summary>
internal sealed class EventDecoder(IRuntimeEvents sink)
{
    private static readonly Provider[] Providers =
    [
        new("System.Diagnostics.Eventing.FrameworkEventSource", "8e9f5090-2d75-4d03-8a81-e5afbf85daf1", WorkItemEvents.Decode),
        new("System.Threading.Tasks.TplEventSource", "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5", TaskEvents.Decode),
        new("Microsoft-Windows-DotNETRuntime", "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", PoolEvents.Decode, WaitEvents.Decode, SuspensionEvents.Decode),
    ];

    // Events come in runs of one provider.
    private Provider? _latest;

    public void Decode(in RawEvent e)
    {
        if (_latest is null || !_latest.Wrote(e.Provider))
        {
            var guid = e.Provider;
            _latest = Array.Find(Providers, p => p.Wrote(guid));
        }

        _latest?.Decode(e, sink);
    }
}
