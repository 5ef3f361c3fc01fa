using System.Diagnostics;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Running;

/// <summary>Starts a reader and takes what it says until it ends, dies or has had its time.</summary>
public static class ReaderProcess
{
    /// <summary>Where the machine is so busy that not even the limits have been read, an answer is worth waiting for.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(15);

    /// <param name="start">The command line that becomes a reader.</param>
    /// <param name="patience">After which a reader that has said the limits and the queue is ended.</param>
    /// <exception cref="System.ComponentModel.Win32Exception">It cannot be started.</exception>
    public static async Task<LookReading> ReadAsync(ProcessStartInfo start, TimeSpan patience, CancellationToken stop)
    {
        start.UseShellExecute = false;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;

        // A reader that dies is expected. It leaves no dump, listens to nobody, and takes little memory for its heap.
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_gcServer"] = "0";
        start.Environment["DOTNET_TieredPGO"] = "0";
        start.Environment.Remove("DOTNET_DiagnosticPorts");
        var clock = Stopwatch.StartNew();
        using var process = Process.Start(start)!;
        _ = process.StandardError.ReadToEndAsync(CancellationToken.None);
        var reading = new LookReading();
        try
        {
            while (Left() is var left && left > TimeSpan.Zero && await process.StandardOutput.ReadLineAsync(stop).AsTask().WaitAsync(left, stop).ConfigureAwait(false) is { } text)
            {
                if (LookJson.Parse(text) is { } line)
                {
                    reading.Add(line);
                }
            }
        }
        catch (TimeoutException)
        {
            // What came before it counts.
        }
        finally
        {
            process.Kill();
        }

        return reading;

        TimeSpan Left() => (reading.HasPool ? patience : patience > Longest ? patience : Longest) - clock.Elapsed;
    }
}
