namespace Poolscope.Workloads.Running;

/// <summary>How a work item calls the slow service.</summary>
public enum ClientKind
{
    /// <summary>A synchronous request on a blocking socket: the thread waits in a system call, unseen by the runtime.</summary>
    Socket,

    /// <summary>HttpClient.Send.</summary>
    HttpSend,

    /// <summary>Blocks on the result of HttpClient.GetAsync.</summary>
    HttpResult,

    /// <summary>Awaits HttpClient.GetAsync and holds no thread.</summary>
    Async,
}

/// <summary>The names of clients on the command line.</summary>
public static class ClientKinds
{
    private static readonly (string Name, ClientKind Kind)[] All =
    [
        ("socket", ClientKind.Socket),
        ("http-send", ClientKind.HttpSend),
        ("http-result", ClientKind.HttpResult),
        ("async", ClientKind.Async),
    ];

    public static IEnumerable<string> Names => All.Select(c => c.Name);

    public static string Name(this ClientKind kind) => All.First(c => c.Kind == kind).Name;

    /// <returns>Null if no client has this name.</returns>
    public static ClientKind? Parse(string name) =>
        All.Where(c => c.Name == name).Select(c => (ClientKind?)c.Kind).FirstOrDefault();
}
