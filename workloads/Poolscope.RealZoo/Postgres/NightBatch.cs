using Npgsql;
using Real.Running;
using Zoo.Running;

namespace Erp.Night;

/// <summary>A worker that writes batches of rows: one pool item each, blocking or awaited.</summary>
internal static class NightBatch
{
    private const int Rows = 40;

    public static void Run(Stage stage)
    {
        var data = Prepare();
        stage.AwaitOnset();
        stage.Pace(20, n => ThreadPool.QueueUserWorkItem(ItemClock.Timed(() => Write(data, n, seconds: 0.4))));
    }

    public static void Awaited(Stage stage)
    {
        var data = Prepare();
        stage.AwaitOnset();
        stage.Pace(20, n => ThreadPool.QueueUserWorkItem(ItemClock.Timed(() => WriteAsync(data, n))));
    }

    private static NpgsqlDataSource Prepare()
    {
        var data = NpgsqlDataSource.Create(Servers.Postgres);
        using var create = data.CreateCommand("drop table if exists bookings; create table bookings (run int, line int)");
        create.ExecuteNonQuery();
        return data;
    }

    private static void Write(NpgsqlDataSource data, int run, double seconds)
    {
        using var connection = data.OpenConnection();
        using var batch = Batch(connection, run, seconds);
        var written = batch.ExecuteNonQuery();
        if (written < Rows)
        {
            Console.Error.WriteLine($"run {run}: {written} rows");
        }
    }

    private static async Task WriteAsync(NpgsqlDataSource data, int run)
    {
        await using var connection = await data.OpenConnectionAsync();
        await using var batch = Batch(connection, run, seconds: 0.02);
        await batch.ExecuteNonQueryAsync();
    }

    private static NpgsqlBatch Batch(NpgsqlConnection connection, int run, double seconds)
    {
        var batch = new NpgsqlBatch(connection);
        for (var line = 0; line < Rows; line++)
        {
            batch.BatchCommands.Add(new NpgsqlBatchCommand(FormattableString.Invariant($"insert into bookings values ({run}, {line})")));
        }

        batch.BatchCommands.Add(new NpgsqlBatchCommand(FormattableString.Invariant($"select pg_sleep({seconds})")));
        return batch;
    }
}
