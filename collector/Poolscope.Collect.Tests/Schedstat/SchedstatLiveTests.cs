using System.Diagnostics;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Schedstat;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Schedstat;
using Xunit;

namespace Poolscope.Collect.Tests.Schedstat;

/// <summary>This process, polled while its threads do known work.</summary>
[Trait("live", "yes")]
public sealed class SchedstatLiveTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>The sums over a thread's life equal the kernel's own counts, whatever the order inside a
    /// step.</summary>
    [Fact]
    public void Sums_are_those_of_the_kernel_and_threads_that_come_and_go_are_seen()
    {
        Assert.SkipUnless(new SchedstatTier(ProcFs.System).Probe(null).Available, "no thread counters here");
        using var recording = Start(TimeSpan.FromMilliseconds(5));
        var truth = new (int Tid, long Begin, ThreadCounters From, long End, ThreadCounters To)[2 * Environment.ProcessorCount];
        var threads = truth.Select((_, i) => new Thread(() => truth[i] = Work(sleeps: i % 2 == 0))).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        Thread.Sleep(50); // so that a pass sees that they have ended
        recording.Stop();

        Assert.Null(recording.Failure);
        var tables = Decode(out var summary);
        Assert.False(summary.Cut);
        foreach (var (tid, begin, from, end, to) in truth)
        {
            var totals = Totals(tables, tid, begin, end);
            var (run, wait) = ((to.RunNs - from.RunNs) / 1e9, (to.WaitNs - from.WaitNs) / 1e9);
            TestContext.Current.TestOutputHelper?.WriteLine($"{tid}: run {run:0.000}/{totals[0]:0.000}, wait {wait:0.000}/{totals[1]:0.000}, rest {((end - begin) / 1e9) - run - wait:0.000}/{totals[2]:0.000}");
            Assert.InRange(run, 0.05, 10);

            // At both ends, a step also covers time before or after; a loaded machine makes steps longer.
            Assert.Equal(run, totals[0], tolerance: (0.05 * run) + 0.05);
            Assert.Equal(wait, totals[1], tolerance: (0.05 * wait) + 0.05);
            var row = Enumerable.Range(0, tables.Threads.Count).Single(r => tables.Threads.Int32("tid")[r] == tid);
            Assert.True(tables.Threads.Int64("start")[row] > recording.StartNs - 100_000_000);
            Assert.True(tables.Threads.Int64("end")[row] >= end);
        }
    }

    [Fact]
    public void A_poll_without_anything_new_allocates_nothing()
    {
        Assert.SkipUnless(new SchedstatTier(ProcFs.System).Probe(null).Available, "no thread counters here");
        using var writer = new SchedstatWriter(_folder, TimeSpan.FromMilliseconds(10), 1, Environment.ProcessId);
        using var poll = new ThreadPoll(ProcFs.System, Environment.ProcessId, writer);
        poll.Pass(all: false);
        var least = long.MaxValue;
        for (var pass = 0; pass < 20; pass++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            poll.Pass(all: false);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before); // another test may start a thread
        }

        Assert.Equal(0, least);
        Assert.True(poll.Threads > 3);
    }

    [Trait("smoke", "yes")]
    [Fact]
    public void Its_own_cost_is_measured_and_it_stops_at_its_size()
    {
        Assert.SkipUnless(new SchedstatTier(ProcFs.System).Probe(null).Available, "no thread counters here");
        using var recording = new SchedstatTier(ProcFs.System).Start(
            new KernelRequest(_folder, MaxBytes: 100, Environment.ProcessId, TimeSpan.FromMilliseconds(1), OnlyTarget: false, Sockets: false));
        Thread.Sleep(300);
        recording.Stop();
        recording.Stop();
        Assert.True(recording.Progress.ReachedMaxBytes);
        Assert.InRange(recording.Progress.CpuNs, 1, 300_000_000);
        Assert.Equal(TimeSpan.FromMilliseconds(1), recording.PollStep);
        Assert.Equal(new FileInfo(Path.Combine(_folder, SchedstatFormat.FileName)).Length, recording.Progress.Bytes);
    }

    private static (int Tid, long Begin, ThreadCounters From, long End, ThreadCounters To) Work(bool sleeps)
    {
        var tid = int.Parse(new FileInfo("/proc/thread-self").ResolveLinkTarget(false)!.Name, System.Globalization.CultureInfo.InvariantCulture);
        var (begin, from) = (Stopwatch.GetTimestamp(), Counters());
        for (var round = 0; round < 20; round++)
        {
            for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < 20;)
            {
            }

            if (sleeps)
            {
                Thread.Sleep(20);
            }
        }

        return (tid, begin, from, Stopwatch.GetTimestamp(), Counters());
    }

    private static ThreadCounters Counters()
    {
        Assert.True(ThreadCounters.TryParse(File.ReadAllBytes("/proc/thread-self/schedstat"), out var counters));
        return counters;
    }

    private IKernelStream Start(TimeSpan step) => new SchedstatTier(ProcFs.System).Start(
        new KernelRequest(_folder, MaxBytes: 1 << 30, Environment.ProcessId, step, OnlyTarget: false, Sockets: false));

    private SchedstatTables Decode(out SchedstatSummary summary)
    {
        var tables = new SchedstatTables(Environment.ProcessId);
        summary = SchedstatFile.Read(Path.Combine(_folder, SchedstatFormat.FileName), StreamBounds.None, record => tables.Add(record), TestContext.Current.CancellationToken);
        tables.Finish(summary.LastNs);
        return tables;
    }

    /// <summary>Returns the seconds in each state.</summary>
    private static double[] Totals(SchedstatTables tables, int tid, long from, long to)
    {
        var states = tables.ThreadStates;
        var totals = new double[3];
        foreach (var row in Enumerable.Range(0, states.Count).Where(row => states.Int32("tid")[row] == tid))
        {
            totals[states.Enum("state")[row]] += Math.Max(0, Math.Min(states.Int64("end")[row], to) - Math.Max(states.Int64("start")[row], from)) / 1e9;
        }

        return totals;
    }
}
