using System.Net.Sockets;
using System.Text;
using Zoo.Running;

namespace Freight.Orders;

/// <summary>A synchronous driver saves 200 orders at once to a database that answers after 30 s. Every 20 ms there is a
/// measurement that takes no time. The run ends before the first order is saved.</summary>
internal static class FreightOrders
{
    private static int _measured;

    public static void Run(Stage stage)
    {
        var database = new Uri(Child.Remote(stage, delayMs: 5, slowMs: 30000, outlives: true));
        new Thread(() => stage.Pace(50, _ => Task.Run(() => Interlocked.Increment(ref _measured)))) { IsBackground = true }.Start();
        stage.AwaitOnset();
        for (var n = 0; n < 200; n++)
        {
            var order = n;
            Task.Run(() => Batches.SaveOrder(database, order));
        }

        stage.Rest();
    }
}

internal static class Batches
{
    public static int SaveOrder(Uri database, int order)
    {
        using var connection = new TcpClient(database.Host, database.Port);
        var stream = connection.GetStream();
        stream.Write(Encoding.ASCII.GetBytes($"POST /orders/{order} HTTP/1.1\r\n\r\n"));
        var answer = new byte[1024];
        return stream.Read(answer);
    }
}
