using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Xunit;

namespace Poolscope.Service.Tests.Live;

[Trait("live", "yes")]
[Trait("paired", "yes")]
[Collection(LiveCollection.Name)]
public sealed partial class RunTests
{
    private static readonly string[] Short = ["--rate", "30", "--duration", "3", "--db-ms", "100", "--drain", "1", "--json"];

    private static readonly string[] Faults = ["none", "sync", "sync-over-async", "lock", "timer", "gc"];

    /// <summary>Runs all faults at once: the checked results do not depend on time, and each run mostly
    /// sleeps.</summary>
    private static readonly Lazy<Dictionary<string, Task<Command.Result>>> Runs = new(
        () => Faults.ToDictionary(fault => fault, fault => Task.Factory.StartNew(
            () => Command.Run(["run", "--fault", fault, .. Short]), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));

    [Theory]
    [InlineData("none", "/async")]
    [InlineData("sync", "/sync")]
    [InlineData("sync-over-async", "/sync-over-async")]
    [InlineData("lock", "/cached")]
    [InlineData("timer", "/async")]
    [InlineData("gc", "/async")]
    public async Task Every_fault_runs_to_its_end_and_reports(string fault, string endpoint)
    {
        // Waits for all runs, so that none overlaps a test that measures.
        await Task.WhenAll(Runs.Value.Values);
        var run = await Runs.Value[fault];

        Assert.Equal(0, run.Code);
        Assert.Equal((fault, endpoint), (run.Report.GetProperty("fault").GetString(), run.Report.GetProperty("endpoint").GetString()));
        Assert.Single(run.Error.TrimEnd().Split('\n'));
        var sent = run.Load.GetProperty("sent").GetInt32();

        // 30 requests a second for 3 s, with a fixed seed.
        Assert.InRange(sent, 60, 120);
        Assert.Equal(sent, run.Load.GetProperty("ok").GetInt32() + run.Load.GetProperty("errors").GetInt32());
        Assert.All(Children(run.Error), AssertGone);
    }

    [Fact]
    public void A_few_threads_that_block_answer_later_than_requests_that_await()
    {
        // Two threads that block for 100 ms answer 20 of the 40 requests a second.
        string[] size = ["--rate", "40", "--duration", "3", "--db-ms", "100", "--min-threads", "2", "--max-threads", "2", "--json"];
        var blocking = Command.Run(["run", "--fault", "sync", .. size]);
        var awaiting = Command.Run(["run", "--fault", "none", .. size]);

        Assert.Equal((0, 0), (blocking.Code, awaiting.Code));
        Assert.True(awaiting.Latency("p50") >= 95, $"{awaiting.Latency("p50")} ms");
        Assert.True(blocking.Latency("p50") > 3 * awaiting.Latency("p50"), $"{blocking.Latency("p50")} ms and {awaiting.Latency("p50")} ms");
        Assert.Equal(2, blocking.Report.GetProperty("pool").GetProperty("max_threads").GetInt32());
    }

    [Theory]
    [InlineData("TERM", 143)]
    [InlineData("INT", 130)]
    [InlineData("KILL", 137)]
    public void Its_children_end_with_it_however_it_ends(string signal, int code)
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("signals");
        }

        // A starved pool must not prevent it from ending.
        using var run = Command.Start("run", "--fault", "sync", "--max-threads", "2", "--rate", "200", "--duration", "60");
        var line = run.StandardError.ReadLine();
        Assert.NotNull(line);
        var children = Children(line);
        Assert.All(children, id => Assert.True(Directory.Exists($"/proc/{id}")));
        Thread.Sleep(1000);

        var asked = Stopwatch.GetTimestamp();
        using (var kill = Process.Start("kill", ["-s", signal, run.Id.ToString(CultureInfo.InvariantCulture)]))
        {
            kill.WaitForExit();
        }

        Assert.True(run.WaitForExit(TimeSpan.FromSeconds(20)));
        Assert.Equal(code, run.ExitCode);
        Assert.True(Stopwatch.GetElapsedTime(asked) < TimeSpan.FromSeconds(15));
        Assert.All(children, AssertGone);
    }

    [Fact]
    public void Serve_and_load_are_the_same_without_the_frame()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("signals");
        }

        using var service = Command.Start("serve", "--db-ms", "50");
        var addresses = Enumerable.Range(0, 4).Select(_ => service.StandardOutput.ReadLine()!).ToList();
        var loads = addresses.Select(a => Command.Run("load", a, "--rate", "20", "--duration", "1", "--arrivals", "fixed", "--json")).ToList();
        var missing = Command.Run("load", addresses[0] + "/nothing-here");
        using (var kill = Process.Start("kill", [service.Id.ToString(CultureInfo.InvariantCulture)]))
        {
            kill.WaitForExit();
        }

        Assert.All(loads, l => Assert.Equal((0, 20), (l.Code, l.Report.GetProperty("ok").GetInt32())));
        Assert.Equal(1, missing.Code);
        Assert.Single(missing.Error.TrimEnd().Split('\n'));
        Assert.True(service.WaitForExit(TimeSpan.FromSeconds(20)));
        Assert.Equal(0, service.ExitCode);
    }

    /// <summary>Returns the database and the load generator, from the line that `run` prints at its start.</summary>
    private static List<int> Children(string said)
    {
        var ids = ProcessId().Matches(said).Select(m => int.Parse(m.Groups[1].Value, CultureInfo.InvariantCulture)).ToList();
        Assert.Equal(2, ids.Count);
        return ids;
    }

    private static void AssertGone(int process)
    {
        // A child notices the end of its standard input, and then has to end its runtime.
        var since = Stopwatch.GetTimestamp();
        while (IsRunning(process))
        {
            Assert.True(Stopwatch.GetElapsedTime(since) < TimeSpan.FromSeconds(10), $"process {process} is still there");
            Thread.Sleep(50);
        }
    }

    /// <summary>Returns whether a process runs. In some containers an orphan that no process reaps stays as a zombie,
    /// which no longer runs.</summary>
    private static bool IsRunning(int process)
    {
        try
        {
            return !File.ReadAllText($"/proc/{process}/stat").Contains(") Z ", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return false;
        }
    }

    [GeneratedRegex(@"process (\d+)")]
    private static partial Regex ProcessId();
}
