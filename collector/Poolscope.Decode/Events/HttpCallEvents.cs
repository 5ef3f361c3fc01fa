using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>System.Net.Http of .NET 8, 9 and 10, whose payloads are alike: strings are UTF-16 that ends in a zero, a version
/// is a byte each for major and minor. .NET 8 tells a path's query; from .NET 9 on a star stands for it. Before .NET 8
/// RequestStop has no status and RequestHeadersStart no connection.</summary>
internal static class HttpCallEvents
{
    private const int VersionBytes = 2;

    public static bool Decode(in RawEvent e, IRuntimeEvents sink)
    {
        switch (e.Id)
        {
            case 1 when TryTarget(e, out var target):
                sink.CallStart(e.Time, e.Tid, e.Activity, e.Related, target);
                return true;
            case 2:
                sink.CallStop(e.Time, e.Tid, e.Activity, e.Has(sizeof(int)) ? Math.Max(e.Int32(0), -1) : -1);
                return true;
            case 3:
                sink.CallFailed(e.Time, e.Tid, e.Activity);
                return true;
            case 4 when e.Has(VersionBytes + sizeof(long)):
                sink.CallConnectionMade(e.Time, e.Int64(VersionBytes), Protocol(e.Payload));
                return true;
            case 6 when e.Has(sizeof(double) + VersionBytes):
                sink.CallLeftQueue(e.Time, e.Tid, e.Activity, e.Float64(0), Protocol(e.Payload[sizeof(double)..]));
                return true;
            case 7:
                // This and the answer's head and content begin activities of their own, inside the call's.
                sink.CallSent(e.Time, new(e.Activity, e.Related), e.Has(sizeof(long)) ? e.Int64(0) : -1);
                return true;
            case 12:
                sink.CallHead(e.Time, e.Tid, new(e.Activity, e.Related), e.Has(sizeof(int)) ? Math.Max(e.Int32(0), -1) : -1);
                return true;
            case 14:
                sink.CallContent(e.Time, e.Tid, new(e.Activity, e.Related));
                return true;
            case 16:
                sink.CallRedirected(e.Tid);
                return true;
            default:
                return false;
        }
    }

    private static bool TryTarget(in RawEvent e, out CallTarget target)
    {
        target = default;
        if (!Utf16.TryRead(e.Payload, 0, out var scheme, out var next)
            || !Utf16.TryRead(e.Payload, next, out var host, out var port)
            || !Utf16.TryRead(e.Payload, port + sizeof(int), out var path, out next)
            || !e.Has(next + VersionBytes))
        {
            return false;
        }

        var query = path.IndexOf('?', StringComparison.Ordinal);
        target = new(scheme, host, Math.Max(e.Int32(port), -1), query < 0 ? path : path[..query], Protocol(e.Payload[next..]));
        return true;
    }

    /// <summary>As Kestrel writes it: HTTP/1.1, and HTTP/2 without its minor version.</summary>
    private static string Protocol(ReadOnlySpan<byte> version) => (version[0], version[1]) switch
    {
        (1, 1) => "HTTP/1.1",
        (2, 0) => "HTTP/2",
        (3, 0) => "HTTP/3",
        var (major, minor) => $"HTTP/{major}.{minor}",
    };
}
