using System.Threading.Channels;
using Zoo.Running;

namespace Telemetry.Ingest;

/// <summary>Reads, parses, groups and stores through bounded channels.</summary>
internal static class EventPipeline
{
    public static void Run(Stage stage)
    {
        var raw = Channel.CreateBounded<string>(100);
        var parsed = Channel.CreateBounded<(int Device, double Value)>(100);
        var sums = new Dictionary<int, double>();
        var parsers = Enumerable.Range(0, 3).Select(_ => ParseAsync(raw.Reader, parsed.Writer)).ToArray();
        var store = StoreAsync(parsed.Reader, sums);
        ReceiveAsync(stage, raw.Writer).GetAwaiter().GetResult();
        Task.WhenAll(parsers).GetAwaiter().GetResult();
        parsed.Writer.Complete();
        store.GetAwaiter().GetResult();
    }

    private static async Task ReceiveAsync(Stage stage, ChannelWriter<string> writer)
    {
        using var tick = new PeriodicTimer(TimeSpan.FromMilliseconds(50));
        for (var n = 0; stage.Now < stage.Seconds - 0.5; n++)
        {
            await tick.WaitForNextTickAsync();
            for (var i = 0; i < 50; i++)
            {
                await writer.WriteAsync($"{i};{n * 0.5}");
            }
        }

        writer.Complete();
    }

    private static async Task ParseAsync(ChannelReader<string> reader, ChannelWriter<(int Device, double Value)> writer)
    {
        await foreach (var line in reader.ReadAllAsync())
        {
            var part = line.Split(';');
            await writer.WriteAsync((int.Parse(part[0]), double.Parse(part[1])));
        }
    }

    private static async Task StoreAsync(ChannelReader<(int Device, double Value)> reader, Dictionary<int, double> sums)
    {
        await foreach (var (device, value) in reader.ReadAllAsync())
        {
            sums[device] = sums.GetValueOrDefault(device) + value;
        }
    }
}
