using System.Net;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Service.Database;

/// <summary>The service's access to its database: a loopback TCP server in another process that answers late. Each
/// query has a connection of its own, so no pool of connections limits how many queries run at once.</summary>
public sealed class DatabaseClient(EndPoint server)
{
    /// <summary>Queries the database, and blocks the calling thread in system calls until the answer arrives.</summary>
    public void Query() => BlockingRequest.Send(server);

    /// <summary>Queries the database, and holds no thread until the answer arrives.</summary>
    /// <returns>The size of the answer, bytes.</returns>
    public Task<int> QueryAsync() => AwaitedRequest.SendAsync(server);
}
