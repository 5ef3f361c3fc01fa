using System.Collections.Concurrent;
using Zoo.Running;

namespace Crm.Customers;

/// <summary>A hand-written connection pool: ten connections can do 40 queries a second, 30 come, Rent blocks.</summary>
internal static class CustomerDatabase
{
    public static void Run(Stage stage)
    {
        var connections = new ConnectionPool(10);
        var builder = Site.NewBuilder();
        builder.Services.AddSingleton(connections);
        builder.Services.AddSingleton(new AwaitedConnectionPool(10));
        var app = builder.Build();
        app.MapGet("/customer/{id:int}", async (int id, ConnectionPool pool) =>
        {
            var connection = pool.Rent();
            try
            {
                return await connection.QueryAsync(id);
            }
            finally
            {
                pool.Return(connection);
            }
        });
        app.MapGet("/customer/awaited/{id:int}", async (int id, AwaitedConnectionPool pool) =>
        {
            var connection = await pool.RentAsync();
            try
            {
                return await connection.QueryAsync(id);
            }
            finally
            {
                pool.Return(connection);
            }
        });
        var route = stage.Fixed ? "/customer/awaited" : "/customer";
        app.Serve(stage, $"{route}/1@2@0@2", $"{route}/2@x30@2", $"{route}/3@30@2@end");
    }
}

internal sealed class Connection
{
    public async Task<string> QueryAsync(int id)
    {
        await Task.Delay(250);
        return $"customer {id}";
    }
}

internal sealed class ConnectionPool(int size)
{
    private readonly Stack<Connection> _free = new(Enumerable.Range(0, size).Select(_ => new Connection()));
    private readonly AutoResetEvent _returned = new(false);

    public Connection Rent()
    {
        while (true)
        {
            lock (_free)
            {
                if (_free.TryPop(out var connection))
                {
                    return connection;
                }
            }

            _returned.WaitOne();
        }
    }

    public void Return(Connection connection)
    {
        lock (_free)
        {
            _free.Push(connection);
        }

        _returned.Set();
    }
}

internal sealed class AwaitedConnectionPool(int size)
{
    private readonly ConcurrentBag<Connection> _free = [.. Enumerable.Range(0, size).Select(_ => new Connection())];
    private readonly SemaphoreSlim _left = new(size);

    public async Task<Connection> RentAsync()
    {
        await _left.WaitAsync();
        return _free.TryTake(out var connection) ? connection : throw new InvalidOperationException("no connection left");
    }

    public void Return(Connection connection)
    {
        _free.Add(connection);
        _left.Release();
    }
}
