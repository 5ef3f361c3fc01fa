using Zoo.Running;

namespace Crm.Customers;

/// <summary>A connection pool written by hand: ten connections would do 40 queries a second, 30 come, and Rent blocks.</summary>
internal static class CustomerDatabase
{
    public static void Run(Stage stage)
    {
        var connections = new ConnectionPool(10);
        var builder = Site.NewBuilder();
        builder.Services.AddSingleton(connections);
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
        app.Serve(stage, "/customer/1@2@0@2", "/customer/2@x30@2", "/customer/3@30@2@end");
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
