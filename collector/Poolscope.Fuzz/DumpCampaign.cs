using System.Diagnostics;
using System.Globalization;
using Poolscope.Fuzz.Dumps;
using Poolscope.Look.Judging;
using Poolscope.Look.Memory;
using Poolscope.Look.Running;

namespace Poolscope.Fuzz;

/// <summary>Looks at damaged dumps, and counts the outcomes.</summary>
internal static class DumpCampaign
{
    public const string Format = "dump";

    private const int Chunk = 500; // a native library that is loaded and unloaded this often keeps a little memory
    private const int MostMegabytes = 1024;

    /// <summary>The time after which the worker is stuck at an input.</summary>
    private static readonly TimeSpan Stuck = TimeSpan.FromSeconds(3);

    /// <summary>CPU time of the reader that is started for such an input. The command's own limit is 20 s, in the same
    /// code.</summary>
    private static readonly TimeSpan Cpu = TimeSpan.FromSeconds(5);

    /// <summary>The time that an answer may take: its limit, the reader's start, and delays on a machine that others
    /// use.</summary>
    private static readonly TimeSpan Longest = Cpu + TimeSpan.FromSeconds(25);

    /// <returns>Number of findings.</returns>
    public static int Run(Options options)
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-fuzz-dump").FullName;
        try
        {
            var dump = Make(folder);
            var damaged = Path.Combine(folder, "damaged");
            var tally = new SortedDictionary<string, int>(StringComparer.Ordinal);
            var findings = new List<string>();
            var (slowest, most, peak) = (0L, 0L, 0L);
            var clock = Stopwatch.StartNew();
            bool HasTime() => clock.Elapsed < TimeSpan.FromMinutes(options.Minutes);
            var next = 0;
            while (next < options.Inputs && HasTime())
            {
                using var worker = Start([DumpWorker.Verb, dump, damaged, $"{options.Seed}", $"{next}", $"{Math.Min(options.Inputs, next + Chunk)}"]);
                var began = next - 1;
                var isStuck = false;
                while (HasTime())
                {
                    var line = worker.StandardOutput.ReadLineAsync();
                    isStuck = !line.Wait(began < next ? Longest : Stuck);
                    if (isStuck || line.Result is not { } text)
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
                    Count(number, words[3], allocated > MostMegabytes ? $" (allocated {allocated} MiB)" : null);
                }

                peak = Math.Max(peak, Peak(worker));
                if (!worker.HasExited)
                {
                    worker.Kill();
                }

                worker.WaitForExit();
                if (began < next && !HasTime())
                {
                    break;
                }

                if (began >= next && (isStuck || worker.ExitCode != 0))
                {
                    // The library that reads the runtime's memory ended its process, or does not end. The command's
                    // answer counts.
                    var (what, wrong) = ByCommand(damaged);
                    Count(began, (isStuck ? "without end: " : "reader died: ") + what, wrong);
                    next = began + 1;
                }
                else if (worker.ExitCode != 0)
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

            void Count(int number, string what, string? wrong)
            {
                tally[what] = tally.GetValueOrDefault(what) + 1;
                if (what is LookVerdict.Healthy)
                {
                    Keep(options, folder, number); // although the pool has no free thread
                }

                if (wrong is not null || what.Contains("FAILED", StringComparison.Ordinal))
                {
                    findings.Add($"input {number}: {what}{wrong}");
                    Keep(options, folder, number);
                }
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Looks at one dump as the command does: in its own process, with limits.</summary>
    /// <returns>The answer, and a complaint if it came too late; otherwise null.</returns>
    private static (string What, string? Wrong) ByCommand(string dump)
    {
        var clock = Stopwatch.StartNew();
        using var reader = ReaderProcess.Start(ReaderProcess.Command(LookChild.Dump, dump, null, Cpu));
        var reading = reader.ReadAsync(Cpu, Longest, CancellationToken.None).GetAwaiter().GetResult();
        return (DumpAnswer.Of(reading, dump), clock.Elapsed > Longest ? $" (after {clock.Elapsed.TotalSeconds:0} s)" : null);
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
        start.Environment["DOTNET_GCHeapHardLimit"] = ReaderProcess.MostHeap;
        var process = Process.Start(start)!;
        _ = process.StandardError.ReadToEndAsync();
        return process;
    }

    /// <summary>Returns the worker's peak of memory so far, MiB; 0 if it has ended.</summary>
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
