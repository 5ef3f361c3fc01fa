namespace Poolscope.Decode.Events.Web;

/// <summary>Requests that a web server serves.</summary>
internal interface IRequestEvents
{
    /// <summary>The web server has read a request's head (Kestrel 3).</summary>
    /// <param name="request">Its id, unique; of HTTP/2 and later each stream of a connection is a request.</param>
    void RequestStart(long time, int tid, string request, in ServedRequest served);

    /// <summary>The web server is done with a request (Kestrel 4): at the latest when its connection asks for the next one,
    /// or ends. Also told of one that began before the recording.</summary>
    void RequestStop(long time, int tid, string request, in ServedRequest served);

    /// <summary>A request enters the application (Hosting 3). The web server tells of it right after or before that, on the same thread.</summary>
    /// <param name="activity">The same when it leaves; empty: not known.</param>
    void HandlerStart(long time, int tid, Guid activity, string method, string path);

    /// <summary>A request leaves the application (Hosting 4).</summary>
    void HandlerStop(long time, int tid, Guid activity);
}

/// <summary>What the web server tells of a request at its beginning and at its end.</summary>
/// <param name="Connection">Kestrel's id.</param>
/// <param name="Protocol">Such as HTTP/1.1.</param>
/// <param name="Path">Without the query.</param>
internal readonly record struct ServedRequest(string Connection, string Protocol, string Method, string Path);
