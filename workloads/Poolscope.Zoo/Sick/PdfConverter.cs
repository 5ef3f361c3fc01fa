using System.Diagnostics;
using Zoo.Running;

namespace Print.Pdf;

/// <summary>Starts a process for each document and waits for its end with WaitForExit on a pool thread.</summary>
internal static class PdfConverter
{
    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(12, document => ThreadPool.QueueUserWorkItem(
            stage.Fixed ? ItemClock.Timed(() => ConvertAsync(document)) : ItemClock.Timed(() => Convert(document))));
    }

    private static async Task ConvertAsync(int document)
    {
        using var converter = Process.Start(new ProcessStartInfo("sleep", "1.2"))!;
        await converter.WaitForExitAsync();
        if (converter.ExitCode != 0)
        {
            Console.Error.WriteLine($"document {document} failed");
        }
    }

    private static void Convert(int document)
    {
        using var converter = Process.Start(new ProcessStartInfo("sleep", "1.2"))!;
        converter.WaitForExit();
        if (converter.ExitCode != 0)
        {
            Console.Error.WriteLine($"document {document} failed");
        }
    }
}
