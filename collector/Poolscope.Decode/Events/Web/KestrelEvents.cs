using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Events.Web;

/// <summary>Decodes Microsoft-AspNetCore-Server-Kestrel: RequestStart and RequestStop, both with connection id, request
/// id, HTTP version, path and method (zero-terminated UTF-16).</summary>
internal static class KestrelEvents
{
    public static bool Decode(in RawEvent e, IRequestEvents sink)
    {
        if (e.Id is not (3 or 4)
            || !Utf16.TryRead(e.Payload, 0, out var connection, out var next)
            || !Utf16.TryRead(e.Payload, next, out var request, out next)
            || !Utf16.TryRead(e.Payload, next, out var protocol, out next)
            || !Utf16.TryRead(e.Payload, next, out var path, out next)
            || !Utf16.TryRead(e.Payload, next, out var method, out _))
        {
            return false;
        }

        var served = new ServedRequest(connection, protocol, method, path);
        if (e.Id == 4)
        {
            sink.RequestStop(e.Time, e.Tid, request, served);
        }
        else
        {
            sink.RequestStart(e.Time, e.Tid, request, served);
        }

        return true;
    }
}
