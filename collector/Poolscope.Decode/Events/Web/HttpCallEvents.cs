using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Events.Web;

/// <summary>Receives the steps of calls through HttpClient.</summary>
internal interface ICallEvents
{
    /// <summary>A call through HttpClient begins (System.Net.Http 1).</summary>
    /// <param name="activity">The call's activity, which its later events share until another call begins inside
    /// it.</param>
    /// <param name="around">The activity in which the call begins, such as a web request's; empty if there is
    /// none.</param>
    void CallStart(long time, int tid, Guid activity, Guid around, in CallTarget target);

    /// <summary>A call that had to wait got a connection, or a stream of one (6).</summary>
    /// <param name="waitedMs">ms since the call asked for it. Includes the time to make a new connection, and the time
    /// until a thread resumed the call.</param>
    /// <param name="protocol">The protocol of the connections that the call waited for, such as HTTP/1.1.</param>
    void CallLeftQueue(long time, int tid, Guid activity, double waitedMs, string protocol);

    /// <summary>A call's head is about to be sent (7), once more after a redirection.</summary>
    /// <param name="connection">The number of the connection, unique in the process.</param>
    void CallSent(long time, CallStep step, long connection);

    /// <summary>A connection was made, including TLS if it is used (4).</summary>
    void CallConnectionMade(long time, long connection, string protocol);

    /// <summary>The head of a response has been read (12).</summary>
    /// <param name="status">The status; -1 if the runtime does not report it.</param>
    void CallHead(long time, int tid, CallStep step, int status);

    /// <summary>The content of a response has been read (14).</summary>
    void CallContent(long time, int tid, CallStep step);

    /// <summary>The response whose head this thread has just read redirects the call (16).</summary>
    void CallRedirected(int tid);

    /// <summary>A call ends with an exception (3); its end follows.</summary>
    void CallFailed(long time, int tid, Guid activity);

    /// <summary>A call is over (2): its response has arrived, including the content unless the caller asked only for
    /// the head. Reported only for a call whose beginning was reported.</summary>
    /// <param name="activity">The call's activity, or the one around it if another call began inside the call.</param>
    /// <param name="status">The status; -1 if no response came or the runtime does not report it.</param>
    void CallStop(long time, int tid, Guid activity, int status);
}

/// <summary>Decodes System.Net.Http of .NET 8, 9 and 10, whose payloads have the same layout: strings are
/// zero-terminated UTF-16, a version is a byte each for major and minor. .NET 8 reports a path's query; from .NET 9 on
/// a star replaces it. Before .NET 8, RequestStop has no status and RequestHeadersStart no connection.</summary>
internal static class HttpCallEvents
{
    private const int VersionBytes = 2;

    public static bool Decode(in RawEvent e, ICallEvents sink)
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
                // This event and those of the response's head and content begin activities inside the call's.
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

    /// <summary>Returns the protocol as Kestrel writes it: HTTP/1.1, and HTTP/2 without its minor version.</summary>
    private static string Protocol(ReadOnlySpan<byte> version) => (version[0], version[1]) switch
    {
        (1, 1) => "HTTP/1.1",
        (2, 0) => "HTTP/2",
        (3, 0) => "HTTP/3",
        var (major, minor) => $"HTTP/{major}.{minor}",
    };
}

/// <summary>The target of a call.</summary>
/// <param name="Port">The port; -1 if unknown.</param>
/// <param name="Path">Without the query.</param>
/// <param name="Protocol">The requested version, such as HTTP/1.1.</param>
internal readonly record struct CallTarget(string Scheme, string Host, int Port, string Path, string Protocol);

/// <summary>The activities of a step of a call: the request's head, the response's head, or its content.</summary>
/// <param name="Own">The step's own activity. Its path leads through the call's activity, even after another call has
/// begun inside the call.</param>
/// <param name="Around">The activity in which the step began, reported only at its beginning: the call's, unless
/// another call has begun inside it.</param>
internal readonly record struct CallStep(Guid Own, Guid Around);
