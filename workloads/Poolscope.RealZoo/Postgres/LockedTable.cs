using Npgsql;
using Real.Running;
using Zoo.Running;

namespace Erp.Stock;

/// <summary>Awaited queries of a table that a migration in another process locks for three seconds at a time.</summary>
internal static class LockedTable
{
    public static void Run(Stage stage)
    {
        var data = NpgsqlDataSource.Create(Servers.Postgres);
        using (var create = data.CreateCommand("drop table if exists stock; create table stock (article int primary key, pieces int); insert into stock values (7, 12)"))
        {
            create.ExecuteNonQuery();
        }

        var app = Site.NewBuilder().Build();
        app.MapGet("/stock/{article:int}", async (int article) => await PiecesAsync(data, article));
        app.Serve(stage, "/stock/7@20@0@end");
        var moments = new List<string>();
        for (var at = stage.Onset + 1; at + 3 < stage.LoadEnd - 1; at += 6)
        {
            moments.Add(Spoken.Of(at - stage.Now));
        }

        Child.Start(["migrate", .. moments]);
    }

    /// <summary>Locks the table: <c>real-zoo migrate AT...</c>.</summary>
    public static int Migrate(string[] moments)
    {
        using var connection = new NpgsqlConnection(Servers.Postgres);
        connection.Open();
        var start = DateTime.UtcNow;
        foreach (var at in moments)
        {
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, Spoken.Number(at) - (DateTime.UtcNow - start).TotalSeconds)));
            using var change = connection.BeginTransaction();
            using var command = new NpgsqlCommand("lock table stock in access exclusive mode; select pg_sleep(3)", connection, change);
            command.ExecuteNonQuery();
            change.Commit();
        }

        return 0;
    }

    private static async Task<string> PiecesAsync(NpgsqlDataSource data, int article)
    {
        await using var command = data.CreateCommand("select pieces from stock where article = $1");
        command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = article });
        return $"{await command.ExecuteScalarAsync()} pieces";
    }
}
