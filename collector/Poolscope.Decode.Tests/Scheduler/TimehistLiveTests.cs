using System.Diagnostics;
using Poolscope.Decode.Scheduler;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Thread states agree with `perf sched timehist` on the same recording, stay by stay, to the
/// microsecond.</summary>
[Trait("live", "yes")]
public sealed class TimehistLiveTests(ITestOutputHelper output)
{
    private const int Workers = 4;

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
            long end;
            using (var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(folder) { TargetPid = Environment.ProcessId, RingBytesPerCpu = OwnRecording.RingBytes }))
            {
                RunWorkers();
                end = Stopwatch.GetTimestamp();
                Assert.Equal(0, recording.Stop().Lost);
                tables = new SchedulerTables(Environment.ProcessId, recording.StartNs, end);
            }

            var exits = new Exits(tables);
            PerfDataReader.Read(folder, exits, TestContext.Current.CancellationToken);
            tables.Finish();
            var timehist = Timehist.Read(Path.Combine(folder, SchedulerRecording.DataFileName));
            var stays = new Stays(tables);
            var workers = WorkerTids(tables);
            Assert.Equal(Workers, workers.Count);
            var compared = workers.Select(tid => Compare(tid, stays.Of(tid), timehist[tid], Math.Min(end, exits.Of.GetValueOrDefault(tid, end)))).ToList();
            var (woken, preempted) = (compared.Sum(c => c.Woken), compared.Sum(c => c.Preempted));
            Assert.True(woken > 40 && preempted > 10, $"too little was compared: {woken} waits after a wake-up, {preempted} after a preemption");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Compares the stays. Both sides truncate differences of the same nanoseconds to whole microseconds, so
    /// every stay must be the same, except those that perf reads differently (docs/event-semantics.md).</summary>
    /// <param name="until">Stays that end after the thread's exit event or the window are not compared: the kernel
    /// removes the thread's id while it still runs and stamps its later events with -1, and perf has no row for it. The
    /// thread may even be preempted then and come back, so there may be several such stays.</param>
    private (int Woken, int Preempted) Compare(int tid, IReadOnlyList<Stay> stays, IEnumerable<TimehistRow> timehist, long until)
    {
        var rows = timehist.Where(r => r.EndUs < until / 1000).ToDictionary(r => r.EndUs);
        var ours = stays.Where(s => s.End / 1000 < until / 1000).ToList();
        Assert.Equal(rows.Keys.Order(), ours.Select(s => s.End / 1000));
        var differing = ours.Select(stay => (Stay: stay, Row: rows[stay.End / 1000])).Where(p => !Agrees(p.Stay, p.Row)).ToList();
        foreach (var (stay, row) in differing)
        {
            output.WriteLine($"{tid}: {stay} is {row} to perf");
        }

        var counts = ours.CountBy(s => s.Unseen ? "beginning unseen" : s.Began.ToString()).Select(c => $"{c.Key} {c.Value}");
        output.WriteLine($"{tid}: {ours.Count} of {stays.Count} stays: {string.Join(", ", counts)}; ready {ours.Sum(s => s.Ready) / 1000} us");
        Assert.Empty(differing);
        return (ours.Count(s => s is { Unseen: false, Began: WaitBegan.Woken }), ours.Count(s => s is { Unseen: false, Began: WaitBegan.Preempted }));
    }

    private static bool Agrees(Stay stay, TimehistRow row)
    {
        if (stay.Unseen)
        {
            // To perf, the stay began when the CPU became idle, or when the previous thread had come.
            return row.WaitUs <= (stay.Off ?? 0) / 1000;
        }

        var delayUs = stay.Began switch
        {
            // At a switch-out, perf forgets what woke the thread before; all its time until it ran was a wait.
            WaitBegan.Preempted or WaitBegan.WokenInAdvance => row.WaitUs,

            // perf reads sched_wakeup only in a recording without any sched_waking.
            WaitBegan.OnlyCompleted => stay.Ready / 1000,
            _ => row.DelayUs,
        };
        return stay.Ready / 1000 == delayUs && (stay.Off ?? 0) / 1000 == row.WaitUs;
    }

    /// <summary>Runs more threads than cores. They wake each other, sleep on a timer and compute.</summary>
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
        })
        { Name = $"worker{n}" }).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
    }

    private static List<int> WorkerTids(SchedulerTables tables)
    {
        var threads = tables.Threads;
        return [.. Enumerable.Range(0, threads.Count)
            .Where(row => threads.Int32("pid")[row] == Environment.ProcessId
                && threads.String("name")[row]!.StartsWith("worker", StringComparison.Ordinal))
            .Select(row => threads.Int32("tid")[row])];
    }

    /// <summary>The times at which the kernel began to take threads down.</summary>
    private sealed class Exits(ISchedulerEvents next) : PassingOn(next)
    {
        internal Dictionary<int, long> Of { get; } = [];

        public override void ThreadExit(long time, int pid, int tid)
        {
            Of.TryAdd(tid, time);
            base.ThreadExit(time, pid, tid);
        }
    }
}
