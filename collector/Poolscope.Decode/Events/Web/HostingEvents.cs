using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Events.Web;

/// <summary>Decodes Microsoft.AspNetCore.Hosting: RequestStart with method and path (zero-terminated UTF-16),
/// RequestStop without a payload. Both have the request's activity.</summary>
internal static class HostingEvents
{
    public static bool Decode(in RawEvent e, IRequestEvents sink)
    {
        switch (e.Id)
        {
            case 3 when Utf16.TryRead(e.Payload, 0, out var method, out var next) && Utf16.TryRead(e.Payload, next, out var path, out _):
                sink.HandlerStart(e.Time, e.Tid, e.Activity, method, path);
                return true;
            case 4:
                sink.HandlerStop(e.Time, e.Tid, e.Activity);
                return true;
            default:
                return false;
        }
    }
}
