using Npgsql;
using Real.Running;
using Zoo.Running;

namespace Erp.Orders;

/// <summary>A web service over PostgreSQL. The programs differ in how they call the query, how long it takes, and how
/// many connections there may be.</summary>
internal static class OrderDesk
{
    private const int Usual = 1;
    private const int Heavy = 2;

    /// <summary>Synchronous queries of 0.3 s, far more at once than the pool has threads.</summary>
    public static void SyncBurst(Stage stage) => Serve(stage, heavySeconds: 0.3, rate: 40, synchronous: true);

    /// <summary>Synchronous queries that are quick and few.</summary>
    public static void SyncQuick(Stage stage) => Serve(stage, heavySeconds: 0.004, rate: 40, synchronous: true);

    /// <summary>Awaited queries of 20 ms.</summary>
    public static void Awaited(Stage stage) => Serve(stage, heavySeconds: 0.02, rate: 60);

    /// <summary>Awaited queries of 0.3 s on four connections, with a demand for six.</summary>
    public static void Exhausted(Stage stage) => Serve(stage, heavySeconds: 0.3, rate: 20, connections: 4);

    /// <summary>Awaited queries of 20 ms on four connections, which suffice.</summary>
    public static void FourSuffice(Stage stage) => Serve(stage, heavySeconds: 0.02, rate: 50, connections: 4);

    /// <summary>Synchronous queries of 0.3 s on four connections: threads wait for a connection.</summary>
    public static void ExhaustedSync(Stage stage) => Serve(stage, heavySeconds: 0.3, rate: 25, connections: 4, synchronous: true);

    private static void Serve(Stage stage, double heavySeconds, int rate, int connections = 100, bool synchronous = false)
    {
        var data = NpgsqlDataSource.Create($"{Servers.Postgres};Maximum Pool Size={connections};Timeout=60");
        var store = new OrderStore(data, heavySeconds);
        var app = Site.NewBuilder().Build();
        if (synchronous)
        {
            app.MapGet("/orders/{kind:int}", (int kind) => store.Load(kind));
        }
        else
        {
            app.MapGet("/orders/{kind:int}", (int kind) => store.LoadAsync(kind));
        }

        var onset = Spoken.Of(stage.Onset);
        app.Serve(stage, $"/orders/{Usual}@10@0@{onset}", $"/orders/{Heavy}@{rate}@{onset}@end");
    }

    internal static double Seconds(int kind, double heavy) => kind == Heavy ? heavy : 0.002;
}

internal sealed class OrderStore(NpgsqlDataSource data, double heavySeconds)
{
    private const string Query = "select pg_sleep(@seconds)::text || ' paid'";

    public string Load(int kind)
    {
        using var connection = data.OpenConnection();
        using var command = new NpgsqlCommand(Query, connection);
        command.Parameters.AddWithValue("seconds", OrderDesk.Seconds(kind, heavySeconds));
        using var rows = command.ExecuteReader();
        return rows.Read() ? rows.GetString(0) : "no order";
    }

    public async Task<string> LoadAsync(int kind)
    {
        await using var connection = await data.OpenConnectionAsync();
        await using var command = new NpgsqlCommand(Query, connection);
        command.Parameters.AddWithValue("seconds", OrderDesk.Seconds(kind, heavySeconds));
        await using var rows = await command.ExecuteReaderAsync();
        return await rows.ReadAsync() ? rows.GetString(0) : "no order";
    }
}
