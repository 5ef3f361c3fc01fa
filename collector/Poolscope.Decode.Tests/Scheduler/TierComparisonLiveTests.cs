using System.Diagnostics;
using Poolscope.Decode.Scheduler;
using Poolscope.PerfEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>One run of this process, recorded through both tiers at once.</summary>
[Trait("live", "yes")]
public sealed class TierComparisonLiveTests : IDisposable
{
    private readonly string _all = Directory.CreateTempSubdirectory("poolscope-all").FullName;
    private readonly string _own = Directory.CreateTempSubdirectory("poolscope-own").FullName;

    public void Dispose()
    {
        Directory.Delete(_all, recursive: true);
        Directory.Delete(_own, recursive: true);
    }

    /// <summary>The tiers agree on the time on a core. A wait that tracepoints show after a wake-up is blocked time
    /// under switch, so `ready` is never more under switch, and the sum of the two is the same.</summary>
    [Fact]
    public void Both_tiers_tell_the_same_but_for_waits_after_a_wake_up()
    {
        var probe = TracepointAccess.Probe();
        Assert.SkipUnless(probe.Available, probe.Why);
        var options = new SchedulerRecordingOptions(_all) { TargetPid = Environment.ProcessId, RingBytesPerCpu = OwnRecording.RingBytes };
        using var all = SchedulerRecording.Start(options);
        using var own = SchedulerRecording.StartOfTarget(options with { Folder = _own });

        // More threads than cores, and half of them sleep in between: preempted, blocked and woken, all at once. They
        // live until both recordings have stopped: only tracepoints show how often a thread is preempted after its
        // exit.
        var start = Stopwatch.GetTimestamp();
        var tids = new int[2 * Environment.ProcessorCount];
        using var done = new CountdownEvent(tids.Length);
        using var mayLeave = new ManualResetEvent(false);
        var threads = tids.Select((_, i) => new Thread(() =>
        {
            tids[i] = int.Parse(new FileInfo("/proc/thread-self").ResolveLinkTarget(false)!.Name, System.Globalization.CultureInfo.InvariantCulture);
            Work(sleeps: i % 2 == 0);
            done.Signal();
            mayLeave.WaitOne();
        })
        { IsBackground = true }).ToList();
        threads.ForEach(t => t.Start());
        done.Wait(TestContext.Current.CancellationToken);
        var end = Stopwatch.GetTimestamp();
        own.Stop();
        all.Stop();
        mayLeave.Set();
        threads.ForEach(t => t.Join());

        var (full, less) = (Decode(_all, start, end), Decode(_own, start, end));
        foreach (var tid in tids)
        {
            var (running, ready, blocked) = Totals(full, tid);
            var (ownRunning, ownReady, ownBlocked) = Totals(less, tid);
            TestContext.Current.TestOutputHelper?.WriteLine($"{tid}: {running:0.0000}/{ownRunning:0.0000} {ready:0.0000}/{ownReady:0.0000} {blocked:0.0000}/{ownBlocked:0.0000}");
            Assert.InRange(running, 0.01, 10);
            Assert.Equal(running, ownRunning, tolerance: (0.02 * running) + 0.001);
            Assert.True(ownReady <= ready + 0.005, $"thread {tid}: {ownReady} s of {ready} s ready");
            Assert.Equal(ready + blocked, ownReady + ownBlocked, tolerance: (0.02 * (ready + blocked)) + 0.002);
        }
    }

    private static void Work(bool sleeps)
    {
        for (var round = 0; round < 20; round++)
        {
            for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < 20;)
            {
            }

            if (sleeps)
            {
                Thread.Sleep(5);
            }
        }
    }

    private static SchedulerTables Decode(string folder, long start, long end)
    {
        var tables = new SchedulerTables(Environment.ProcessId, start, end);
        Assert.Equal(0, PerfDataReader.Read(folder, tables, TestContext.Current.CancellationToken).Lost);
        tables.Finish();
        return tables;
    }

    /// <summary>Returns the seconds in each state.</summary>
    private static (double Running, double Ready, double Blocked) Totals(SchedulerTables tables, int tid)
    {
        var states = tables.ThreadStates;
        var totals = new double[3];
        for (var row = 0; row < states.Count; row++)
        {
            if (states.Int32("tid")[row] == tid)
            {
                totals[states.Enum("state")[row]] += (states.Int64("end")[row] - states.Int64("start")[row]) / 1e9;
            }
        }

        return (totals[0], totals[1], totals[2]);
    }
}
