using System.Diagnostics;
using System.Reflection;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory;

namespace Poolscope.Look.Running;

/// <summary>Starts a reader and takes what it says until it ends, dies or has had its time.</summary>
public static class ReaderProcess
{
    /// <summary>1 GiB, as the runtime reads its settings: hexadecimal.</summary>
    private const string MostHeap = "40000000";

    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(50);

    /// <summary>The command line by which this program becomes a reader; the parameters are those of <see cref="LookChild.Arguments"/>.</summary>
    public static ProcessStartInfo Command(string kind, string target, string? dac, TimeSpan time)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!);
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add("exec");
            start.ArgumentList.Add(Assembly.GetEntryAssembly()!.Location);
        }

        foreach (var argument in LookChild.Arguments(kind, target, dac, time))
        {
            start.ArgumentList.Add(argument);
        }

        return start;
    }

    /// <param name="start">The command line that becomes a reader.</param>
    /// <param name="cpu">CPU time after which it is ended. One that follows a list without an end uses CPU; one that the machine
    /// does not let run uses none.</param>
    /// <param name="wall">Time after which it is ended in any case.</param>
    /// <param name="enough">Whether what was read will do; null: everything is read.</param>
    /// <exception cref="System.ComponentModel.Win32Exception">It cannot be started.</exception>
    public static async Task<LookReading> ReadAsync(ProcessStartInfo start, TimeSpan cpu, TimeSpan wall, CancellationToken stop, Func<LookReading, bool>? enough = null)
    {
        start.UseShellExecute = false;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;

        // A reader that dies is expected. It leaves no dump, listens to nobody, and takes little memory for its heap.
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        start.Environment["DOTNET_gcServer"] = "0";
        start.Environment["DOTNET_GCHeapHardLimit"] = MostHeap; // a damaged dump may name any length
        start.Environment["DOTNET_TieredPGO"] = "0";
        start.Environment.Remove("DOTNET_DiagnosticPorts");
        var clock = Stopwatch.StartNew();
        using var process = Process.Start(start)!;
        _ = process.StandardError.ReadToEndAsync(CancellationToken.None);
        var reading = new LookReading();
        try
        {
            var next = process.StandardOutput.ReadLineAsync(stop).AsTask();
            while (clock.Elapsed < wall && Used() < cpu)
            {
                if (await Task.WhenAny(next, Task.Delay(Beat, stop)).ConfigureAwait(false) != next)
                {
                    stop.ThrowIfCancellationRequested();
                    continue;
                }

                if (await next.ConfigureAwait(false) is not { } text)
                {
                    break;
                }

                if (LookJson.Parse(text) is { } line)
                {
                    reading.Add(line);
                }

                if (enough?.Invoke(reading) == true)
                {
                    break;
                }

                next = process.StandardOutput.ReadLineAsync(stop).AsTask();
            }
        }
        finally
        {
            process.Kill();
        }

        return reading;

        TimeSpan Used()
        {
            try
            {
                return process.TotalProcessorTime;
            }
            catch (InvalidOperationException)
            {
                return TimeSpan.Zero; // it has ended, and what it wrote is still to be read
            }
        }
    }
}
