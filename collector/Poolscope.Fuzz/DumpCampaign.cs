using System.Diagnostics;
using System.Globalization;
using Poolscope.Fuzz.Dumps;

namespace Poolscope.Fuzz;

/// <summary>Has damaged dumps looked at, and counts what became of them.</summary>
internal static class DumpCampaign
{
    public const string Format = "dump";

    private const int Chunk = 500; // a native library that is loaded and unloaded so often keeps a little memory
    private const int MostMegabytes = 1024;
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(30);

    /// <returns>Number of findings.</returns>
    public static int Run(Options options)
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-fuzz-dump").FullName;
        try
        {
            var dump = Make(folder);
            var tally = new SortedDictionary<string, int>(StringComparer.Ordinal);
            var findings = new List<string>();
            var (slowest, most, peak) = (0L, 0L, 0L);
            var clock = Stopwatch.StartNew();
            var next = 0;
            while (next < options.Inputs && clock.Elapsed < TimeSpan.FromMinutes(options.Minutes))
            {
                var end = Math.Min(options.Inputs, next + Chunk);
                using var worker = Start([DumpWorker.Verb, dump, Path.Combine(folder, "damaged"), $"{options.Seed}", $"{next}", $"{end}"]);
                var began = next - 1;
                while (true)
                {
                    var line = worker.StandardOutput.ReadLineAsync();
                    if (!line.Wait(Longest))
                    {
                        findings.Add($"input {began}: does not end");
                        Keep(options, folder, began);
                        break;
                    }

                    if (line.Result is not { } text)
                    {
                        break;
                    }

                    var words = text.Split(' ', 4);
                    if (!int.TryParse(words[0], NumberStyles.None, CultureInfo.InvariantCulture, out var number))
                    {
                        continue;
                    }

                    if (words[1] == "begins")
                    {
                        began = number;
                        continue;
                    }

                    next = number + 1;
                    slowest = Math.Max(slowest, long.Parse(words[1], CultureInfo.InvariantCulture));
                    var allocated = long.Parse(words[2], CultureInfo.InvariantCulture);
                    most = Math.Max(most, allocated);
                    if (words[3].StartsWith("FAILED", StringComparison.Ordinal) || allocated > MostMegabytes)
                    {
                        findings.Add($"input {number}: {words[3]} (allocated {allocated} MiB)");
                    }

                    tally[words[3]] = tally.GetValueOrDefault(words[3]) + 1;
                    if (clock.Elapsed >= TimeSpan.FromMinutes(options.Minutes))
                    {
                        break;
                    }
                }

                peak = Math.Max(peak, Peak(worker));
                if (!worker.HasExited)
                {
                    worker.Kill();
                }

                worker.WaitForExit();
                if (next <= began)
                {
                    // The native library ended the reader.
                    tally["reader died"] = tally.GetValueOrDefault("reader died") + 1;
                    next = began + 1;
                    Keep(options, folder, began);
                }
                else if (worker.ExitCode != 0 && began < next - 1)
                {
                    findings.Add($"the worker cannot begin (exit code {worker.ExitCode})");
                    break;
                }
            }

            Console.WriteLine($"{Format,-13} {next,7} inputs {clock.Elapsed.TotalSeconds,6:0.0} s  most allocated {most} MiB  peak {peak} MiB  slowest {slowest} ms  {findings.Count} findings");
            foreach (var (what, count) in tally.OrderByDescending(pair => pair.Value))
            {
                Console.WriteLine($"  {count,6}  {what}");
            }

            findings.ForEach(finding => Console.WriteLine("  " + finding));
            return findings.Count;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static string Make(string folder)
    {
        var dump = Path.Combine(folder, "core");
        using var target = Start([DumpTarget.Verb]);
        try
        {
            if (target.StandardOutput.ReadLine() != "ready")
            {
                throw new InvalidOperationException("the process to be dumped did not start");
            }

            var createdump = Path.Combine(Path.GetDirectoryName(typeof(object).Assembly.Location)!, "createdump");
            using var dumping = Process.Start(new ProcessStartInfo(createdump, ["--withheap", "-f", dump, $"{target.Id}"]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
            dumping.StandardOutput.ReadToEnd();
            dumping.WaitForExit();
            return File.Exists(dump) ? dump : throw new InvalidOperationException($"createdump ended with exit code {dumping.ExitCode}");
        }
        finally
        {
            target.Kill();
        }
    }

    private static Process Start(IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add(typeof(DumpCampaign).Assembly.Location);
        }

        foreach (var argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        var process = Process.Start(start)!;
        _ = process.StandardError.ReadToEndAsync();
        return process;
    }

    /// <summary>The worker's peak of memory so far, MiB; 0 where it has ended.</summary>
    private static long Peak(Process worker)
    {
        try
        {
            return worker.PeakWorkingSet64 >> 20;
        }
        catch (InvalidOperationException)
        {
            return 0;
        }
    }

    private static void Keep(Options options, string folder, int number)
    {
        if (options.Save is { } place && File.Exists(Path.Combine(folder, "damaged")))
        {
            Directory.CreateDirectory(place);
            File.Copy(Path.Combine(folder, "damaged"), Path.Combine(place, $"dump-{options.Seed}-{number}"), overwrite: true);
        }
    }
}
