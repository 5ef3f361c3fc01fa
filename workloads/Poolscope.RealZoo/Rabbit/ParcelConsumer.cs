using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Real.Running;
using Zoo.Running;

namespace Parcels.Intake;

/// <summary>Consumes a queue of RabbitMQ, sixteen messages at a time, and shows the count on a web page.</summary>
internal static class ParcelConsumer
{
    private const string Queue = "parcels";

    private static int _booked;

    /// <summary>The consumer blocks for 0.4 s in each message.</summary>
    public static void Run(Stage stage) => Consume(stage, BookBlocking);

    /// <summary>The consumer awaits 5 ms in each message.</summary>
    public static void Awaited(Stage stage) => Consume(stage, BookAsync);

    private static void Consume(Stage stage, AsyncEventHandler<BasicDeliverEventArgs> book)
    {
        var factory = new ConnectionFactory { Uri = Servers.Rabbit, ConsumerDispatchConcurrency = 16 };
        var connection = factory.CreateConnectionAsync().Result;
        var channel = connection.CreateChannelAsync(new CreateChannelOptions(false, false, consumerDispatchConcurrency: 16)).Result;
        channel.QueueDeclareAsync(Queue, durable: false, exclusive: false, autoDelete: true).Wait();
        channel.QueuePurgeAsync(Queue).Wait();
        channel.BasicQosAsync(0, 64, false).Wait();
        var consumer = new AsyncEventingBasicConsumer(channel);
        consumer.ReceivedAsync += book;
        channel.BasicConsumeAsync(Queue, autoAck: true, consumer).Wait();
        var app = Site.NewBuilder().Build();
        app.MapGet("/parcels", () => $"{Volatile.Read(ref _booked)} parcels");
        app.Serve(stage, "/parcels@20@0@end");
        Child.Start("parcel-sender", Spoken.Of(stage.Onset - stage.Now), "40", Spoken.Of(stage.LoadEnd - stage.Now));
    }

    /// <summary>Sends messages: <c>real-zoo parcel-sender FROM RATE TO</c>.</summary>
    public static int Send(string[] words)
    {
        var (from, rate, to) = (Spoken.Number(words[0]), Spoken.Number(words[1]), Spoken.Number(words[2]));
        var start = DateTime.UtcNow;
        var connection = new ConnectionFactory { Uri = Servers.Rabbit }.CreateConnectionAsync().Result;
        var channel = connection.CreateChannelAsync().Result;
        for (var at = from; at < to; at += 1 / rate)
        {
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, at - (DateTime.UtcNow - start).TotalSeconds)));
            channel.BasicPublishAsync("", Queue, "a parcel"u8.ToArray()).AsTask().Wait();
        }

        return 0;
    }

    private static Task BookBlocking(object sender, BasicDeliverEventArgs message)
    {
        Thread.Sleep(400);
        Interlocked.Increment(ref _booked);
        return Task.CompletedTask;
    }

    private static async Task BookAsync(object sender, BasicDeliverEventArgs message)
    {
        await Task.Delay(5);
        Interlocked.Increment(ref _booked);
    }
}
