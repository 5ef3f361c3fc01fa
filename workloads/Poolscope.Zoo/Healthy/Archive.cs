using System.Net;
using Zoo.Running;

namespace Records.Archive;

/// <summary>Writes and reads small files and looks up a name, all awaited.</summary>
internal static class Archive
{
    public static void Run(Stage stage)
    {
        var folder = Directory.CreateTempSubdirectory("archive");
        try
        {
            KeepAsync(stage, folder.FullName).GetAwaiter().GetResult();
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task KeepAsync(Stage stage, string folder)
    {
        using var tick = new PeriodicTimer(TimeSpan.FromMilliseconds(100));
        while (stage.Now < stage.Seconds - 0.5 && await tick.WaitForNextTickAsync())
        {
            await Task.WhenAll(Enumerable.Range(0, 8).Select(n => KeepAsync(Path.Combine(folder, $"record-{n}.txt"))));
        }
    }

    private static async Task KeepAsync(string path)
    {
        var host = await Dns.GetHostAddressesAsync("localhost");
        await File.WriteAllTextAsync(path, $"{host[0]} {new string('x', 4000)}");
        var back = await File.ReadAllTextAsync(path);
        if (back.Length < 4000)
        {
            throw new InvalidDataException(path);
        }
    }
}
