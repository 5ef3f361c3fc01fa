using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Poolscope.Decode.Scheduler;
using Poolscope.PerfEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Our thread states against `perf sched timehist --state` on the same recording.</summary>
[Trait("live", "yes")]
public sealed partial class TimehistLiveTests(ITestOutputHelper output)
{
    private const int Workers = 4;
    private const byte Running = 0;
    private const byte Ready = 1;

    // Marks of a runnable thread in timehist's state column: R, and the bit for "preempted in the kernel", which perf
    // prints as R+, as +, or as whatever letter that bit once stood for (W in 6.1).
    private static readonly string[] RunnableMarks = ["R", "R+", "+", "W"];

    [Fact]
    public void Delays_of_every_worker_agree_with_perf_sched_timehist()
    {
        var probe = TracepointAccess.Probe();
        Assert.SkipUnless(probe.Available, probe.Why);
        Assert.SkipUnless(File.Exists("/usr/bin/perf"), "perf is not installed");
        var folder = Directory.CreateTempSubdirectory("poolscope-timehist").FullName;
        try
        {
            SchedulerTables tables;
            using (var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(folder) { TargetPid = Environment.ProcessId }))
            {
                RunWorkers();
                var end = Stopwatch.GetTimestamp();
                Assert.Equal(0, recording.Stop().Lost);
                tables = new SchedulerTables(Environment.ProcessId, recording.StartNs, end);
            }

            PerfDataReader.Read(folder, tables, TestContext.Current.CancellationToken);
            tables.Finish();
            Compare(tables, Timehist(folder));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private void Compare(SchedulerTables tables, ILookup<int, TimehistRow> timehist)
    {
        var workers = WorkerTids(tables);
        Assert.Equal(Workers, workers.Count);
        var compared = (Woken: 0, Preempted: 0);
        foreach (var tid in workers)
        {
            var stays = Stays(tables, tid);
            var ours = OurDelays(stays);
            var theirs = TheirDelays(stays, timehist[tid]);
            output.WriteLine($"{tid}: wake-to-run {ours.WokenUs} / {theirs.WokenUs} us in {ours.Woken}; preempted-to-run "
                + $"{ours.PreemptedUs} / {theirs.PreemptedUs} us in {ours.Preempted}; {stays.Count(s => s.Unseen)} stays after a silent task");
            AssertClose(theirs.WokenUs, ours.WokenUs);
            AssertClose(theirs.PreemptedUs, ours.PreemptedUs);
            compared = (compared.Woken + ours.Woken, compared.Preempted + ours.Preempted);
        }

        Assert.True(compared is { Woken: > 40, Preempted: > 10 }, $"too little was compared: {compared}");
    }

    /// <summary>1 % or 0.2 ms.</summary>
    private static void AssertClose(long expectedUs, long actualUs) =>
        Assert.InRange(actualUs, expectedUs - Math.Max(200, expectedUs / 100), expectedUs + Math.Max(200, expectedUs / 100));

    /// <summary>More threads than cores, which wake each other, sleep on a timer and compute.</summary>
    private static void RunWorkers()
    {
        using var turns = new SemaphoreSlim(1);
        var threads = Enumerable.Range(0, Workers).Select(n => new Thread(() =>
        {
            for (var round = 0; round < 60; round++)
            {
                turns.Wait();
                Thread.SpinWait(2_000);
                turns.Release();
                Thread.Sleep(1);
                Thread.SpinWait(40_000 * (1 + (n % 2)));
                if (round % 20 == n)
                {
                    Thread.SpinWait(1_000_000);
                }

                Thread.Sleep(0);
            }

            Thread.Sleep(5); // so that nobody competes while the threads end
        })
        { Name = $"worker{n}" }).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
        Thread.Sleep(20); // Join returns a little before the kernel thread has ended
    }

    private static List<int> WorkerTids(SchedulerTables tables)
    {
        var threads = tables.Threads;
        return [.. Enumerable.Range(0, threads.Count)
            .Where(row => threads.Int32("pid")[row] == Environment.ProcessId
                && threads.String("name")[row]!.StartsWith("worker", StringComparison.Ordinal))
            .Select(row => threads.Int32("tid")[row])];
    }

    /// <summary>perf prints whole microseconds, cut off; each of ours is cut the same way before it is added. A thread's last
    /// stay on a CPU is left out: the kernel stamps the switch that ends it with thread id -1, so perf has no row for it.</summary>
    private static Delays OurDelays(IReadOnlyList<Stay> stays)
    {
        var delays = default(Delays);
        foreach (var stay in stays.SkipLast(1).Where(s => s is { Unseen: false, Ready: not null }))
        {
            var us = stay.Ready!.Value / 1000;
            delays = stay.Preempted
                ? delays with { PreemptedUs = delays.PreemptedUs + us, Preempted = delays.Preempted + 1 }
                : delays with { WokenUs = delays.WokenUs + us, Woken = delays.Woken + 1 };
        }

        return delays;
    }

    /// <summary>Stays that began with a switch that perf cannot see are left out here too: perf takes the time at which the
    /// CPU became idle for their beginning.</summary>
    private static Delays TheirDelays(IReadOnlyList<Stay> stays, IEnumerable<TimehistRow> rows)
    {
        var unseen = stays.Where(s => s.Unseen).Select(s => s.End / 1000).ToHashSet();
        var delays = default(Delays);
        var before = "";
        foreach (var row in rows)
        {
            if (!unseen.Contains(row.TimeUs))
            {
                var runnable = RunnableMarks.Contains(before);
                delays = delays with
                {
                    WokenUs = delays.WokenUs + row.DelayUs,
                    PreemptedUs = delays.PreemptedUs + (runnable ? row.WaitUs : 0),
                };
            }

            before = row.State;
        }

        return delays;
    }

    private static List<Stay> Stays(SchedulerTables tables, int tid)
    {
        var switches = tables.Switches;
        var preempted = new HashSet<long>();
        var unseen = new HashSet<long>();
        for (var row = 0; row < switches.Count; row++)
        {
            var time = switches.Int64("time")[row];
            if (switches.Int32("prev_tid")[row] == tid && switches.Int32("prev_state")[row] is 0 or 0x100)
            {
                preempted.Add(time);
            }

            if (switches.Int32("next_tid")[row] == tid && switches.Int32("prev_state")[row] == -1)
            {
                unseen.Add(time);
            }
        }

        var states = tables.ThreadStates;
        var rows = Enumerable.Range(0, states.Count).Where(row => states.Int32("tid")[row] == tid).ToList();
        return [.. rows.Where(row => states.Enum("state")[row] == Running).Select(row =>
        {
            var start = states.Int64("start")[row];
            var ready = row > rows[0] && states.Enum("state")[row - 1] == Ready;
            return new Stay(
                states.Int64("end")[row],
                ready ? start - states.Int64("start")[row - 1] : null,
                ready && preempted.Contains(states.Int64("start")[row - 1]),
                unseen.Contains(start));
        })];
    }

    private static ILookup<int, TimehistRow> Timehist(string folder)
    {
        using var perf = Process.Start(new ProcessStartInfo("/usr/bin/perf")
        {
            ArgumentList = { "sched", "timehist", "--state", "-i", Path.Combine(folder, SchedulerRecording.DataFileName) },
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        perf.ErrorDataReceived += (_, _) => { };
        perf.BeginErrorReadLine();
        var rows = new List<TimehistRow>();
        while (perf.StandardOutput.ReadLine() is { } line)
        {
            if (Row().Match(line) is { Success: true } match)
            {
                rows.Add(new TimehistRow(
                    int.Parse(match.Groups["tid"].ValueSpan, CultureInfo.InvariantCulture),
                    (long)Math.Round(decimal.Parse(match.Groups["time"].ValueSpan, CultureInfo.InvariantCulture) * 1_000_000),
                    Microseconds(match.Groups["wait"]),
                    Microseconds(match.Groups["delay"]),
                    match.Groups["state"].Value));
            }
        }

        perf.WaitForExit();
        Assert.Equal(0, perf.ExitCode);
        return rows.ToLookup(r => r.Tid);
    }

    private static long Microseconds(Group milliseconds) =>
        (long)Math.Round(double.Parse(milliseconds.ValueSpan, CultureInfo.InvariantCulture) * 1000);

    // 2567.814561 [0000]  sleep[19419]   0.000  0.010  0.184  X
    [GeneratedRegex(@"^\s*(?<time>[\d.]+)\s+\[\d+\]\s+.*\[(?<tid>\d+)(/\d+)?\]\s+(?<wait>[\d.]+)\s+(?<delay>[\d.]+)\s+[\d.]+\s+(?<state>\S+)\s*$")]
    private static partial Regex Row();

    private readonly record struct TimehistRow(int Tid, long TimeUs, long WaitUs, long DelayUs, string State);

    /// <summary>From switch-in to switch-out. Times in ns.</summary>
    /// <param name="Ready">How long it was ready before; null: it was not.</param>
    /// <param name="Preempted">It was ready because it had been preempted.</param>
    /// <param name="Unseen">perf has no switch-in.</param>
    private readonly record struct Stay(long End, long? Ready, bool Preempted, bool Unseen);

    /// <summary>Sums in microseconds, and how many intervals each.</summary>
    private readonly record struct Delays(long WokenUs, int Woken, long PreemptedUs, int Preempted);
}
