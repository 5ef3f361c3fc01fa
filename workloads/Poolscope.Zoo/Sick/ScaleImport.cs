using System.Runtime.InteropServices;
using Zoo.Running;

namespace Factory.Scales;

/// <summary>Reads from devices through named pipes: each read blocks until the device answers, after half a second.</summary>
internal static class ScaleImport
{
    public static void Run(Stage stage)
    {
        var folder = Directory.CreateTempSubdirectory("scales").FullName;
        stage.AwaitOnset();
        stage.Pace(20, n =>
        {
            var pipe = Path.Combine(folder, $"scale-{n}");
            if (mkfifo(pipe, 0b110_000_000) != 0)
            {
                throw new IOException("mkfifo failed");
            }

            ThreadPool.QueueUserWorkItem(_ => ReadWeight(pipe));
        });
    }

    private static void ReadWeight(string pipe)
    {
        // The device: a shell that answers late.
        using var device = System.Diagnostics.Process.Start("sh", ["-c", $"sleep 0.5; echo 12.5 > {pipe}"]);
        var text = File.ReadAllText(pipe);
        _ = double.Parse(text);
        File.Delete(pipe);
    }

    [DllImport("libc", SetLastError = true)]
    private static extern int mkfifo(string path, uint mode);
}
