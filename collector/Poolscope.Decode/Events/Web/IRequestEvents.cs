namespace Poolscope.Decode.Events.Web;

/// <summary>Receives the requests that a web server serves.</summary>
internal interface IRequestEvents
{
    /// <summary>The web server has read a request's head (Kestrel 3).</summary>
    /// <param name="request">The request's unique id. In HTTP/2 and later, each stream of a connection is a
    /// request.</param>
    void RequestStart(long time, int tid, string request, in ServedRequest served);

    /// <summary>The web server is done with a request (Kestrel 4), at the latest when its connection asks for the next
    /// one or ends. Also called for a request that began before the recording.</summary>
    void RequestStop(long time, int tid, string request, in ServedRequest served);

    /// <summary>A request enters the application (Hosting 3). The web server reports the request right before or after
    /// that, on the same thread.</summary>
    /// <param name="activity">The request's activity, the same when the request leaves; empty if unknown.</param>
    void HandlerStart(long time, int tid, Guid activity, string method, string path);

    /// <summary>A request leaves the application (Hosting 4).</summary>
    void HandlerStop(long time, int tid, Guid activity);
}

/// <summary>A request as the web server reports it at its beginning and at its end.</summary>
/// <param name="Connection">Kestrel's id of the connection.</param>
/// <param name="Protocol">Such as HTTP/1.1.</param>
/// <param name="Path">Without the query.</param>
internal readonly record struct ServedRequest(string Connection, string Protocol, string Method, string Path);
