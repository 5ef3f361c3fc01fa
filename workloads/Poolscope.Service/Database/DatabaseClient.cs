using System.Net;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Service.Database;

/// <summary>The service's way to its database: a loopback TCP server in another process that answers late. A connection
/// for each query: no pool of connections limits how many queries run at once.</summary>
public sealed class DatabaseClient(EndPoint server)
{
    /// <summary>Blocks the calling thread in system calls until the answer is here.</summary>
    public void Query() => BlockingRequest.Send(server);

    /// <summary>Holds no thread until the answer is here.</summary>
    /// <returns>Bytes of the answer.</returns>
    public Task<int> QueryAsync() => AwaitedRequest.SendAsync(server);
}
