using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Zoo.Running;

namespace Factory.Scales;

/// <summary>Reads devices through named pipes: each read blocks for half a second until the device answers.</summary>
internal static class ScaleImport
{
    public static void Run(Stage stage)
    {
        var folder = Directory.CreateTempSubdirectory("scales").FullName;
        var device = new Scale();
        stage.AwaitOnset();
        stage.Pace(20, n =>
        {
            var pipe = Path.Combine(folder, $"scale-{n}");
            if (mkfifo(pipe, 0b110_000_000) != 0)
            {
                throw new IOException("mkfifo failed");
            }

            var read = stage.Fixed
                ? ItemClock.Timed(() => ReadWeightAsync(device, pipe))
                : ItemClock.Timed(() => ReadWeight(device, pipe));
            if (stage.Dedicated)
            {
                Task.Factory.StartNew(() => read(null), TaskCreationOptions.LongRunning);
            }
            else
            {
                ThreadPool.QueueUserWorkItem(read);
            }
        });
    }

    private static void ReadWeight(Scale device, string pipe)
    {
        device.Ask(pipe);
        _ = double.Parse(File.ReadAllText(pipe));
        File.Delete(pipe);
    }

    private static async Task ReadWeightAsync(Scale device, string pipe)
    {
        device.Ask(pipe);
        _ = double.Parse(await File.ReadAllTextAsync(pipe));
        File.Delete(pipe);
    }

    [DllImport("libc", SetLastError = true)]
    private static extern int mkfifo(string path, uint mode);
}

/// <summary>Writes a weight into a pipe half a second after the request, on a thread of its own.</summary>
internal sealed class Scale
{
    private readonly BlockingCollection<(DateTime Due, string Pipe)> _asked = [];

    public Scale() => new Thread(Answer) { IsBackground = true, Name = "scale" }.Start();

    public void Ask(string pipe) => _asked.Add((DateTime.UtcNow.AddMilliseconds(500), pipe));

    private void Answer()
    {
        foreach (var (due, pipe) in _asked.GetConsumingEnumerable())
        {
            var left = due - DateTime.UtcNow;
            if (left > TimeSpan.Zero)
            {
                Thread.Sleep(left);
            }

            File.WriteAllText(pipe, "12.5");
        }
    }
}
