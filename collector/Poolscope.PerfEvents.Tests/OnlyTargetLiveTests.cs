using System.Diagnostics;
using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>One run of this process beside a busy child, recorded with and without the other processes.</summary>
[Trait("live", "yes")]
public sealed class OnlyTargetLiveTests : IDisposable
{
    private readonly string _all = Directory.CreateTempSubdirectory("poolscope-all").FullName;
    private readonly string _own = Directory.CreateTempSubdirectory("poolscope-own").FullName;

    public OnlyTargetLiveTests()
    {
        var probe = TracepointAccess.Probe();
        Assert.SkipUnless(probe.Available, probe.Why);
    }

    public void Dispose()
    {
        Directory.Delete(_all, recursive: true);
        Directory.Delete(_own, recursive: true);
    }

    /// <summary>Threads start all the time, switch a few times and end; a birth noticed too late would leave a hole.
    /// The kept events equal, one by one, those of the same threads in the whole recording.</summary>
    [Fact]
    public void Nothing_of_the_target_is_missing_and_nothing_else_is_written()
    {
        using var other = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "while :; do /bin/true; done"]))!;
        try
        {
            var options = new SchedulerRecordingOptions(_all) { TargetPid = Environment.ProcessId, RingBytesPerCpu = 16 << 20 };
            using var all = SchedulerRecording.Start(options);
            using var own = SchedulerRecording.Start(options with { Folder = _own, OnlyTarget = true });
            var tids = Births();
            Thread.Sleep(100); // a joined thread may still be on its way out
            own.Stop();
            all.Stop();

            var (full, less) = (Read(_all), Read(_own));
            Assert.Equal((Environment.ProcessId, (int?)null), (less.Summary.OnlyPid, full.Summary.OnlyPid));
            Assert.Equal((0, 0), (full.Summary.Lost, less.Summary.Lost));
            foreach (var tid in tids)
            {
                Assert.Equal(full.Sink.Of[tid].Order(StringComparer.Ordinal), less.Sink.Of[tid].Order(StringComparer.Ordinal));
            }

            Assert.All(less.Sink.Samples, pid => Assert.Equal(Environment.ProcessId, pid));
            Assert.DoesNotContain(less.Sink.Named, named => named != Environment.ProcessId);
            Assert.All(less.Sink.Switches, pair => Assert.True(less.Sink.Own.Contains(pair.Prev) || less.Sink.Own.Contains(pair.Next), $"{pair} is not the target's"));
            Assert.Contains(full.Sink.Switches, pair => !less.Sink.Own.Contains(pair.Prev) && !less.Sink.Own.Contains(pair.Next));
            Assert.True(own.Stop().Bytes < all.Stop().Bytes);
        }
        finally
        {
            other.Kill(entireProcessTree: true);
            other.WaitForExit();
        }
    }

    [Fact]
    public void It_needs_to_know_whose() =>
        Assert.Throws<ArgumentException>(() => SchedulerRecording.Start(new SchedulerRecordingOptions(_own) { OnlyTarget = true }));

    private static List<int> Births()
    {
        var tids = new List<int>();
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < 1000;)
        {
            var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
            {
                var tid = int.Parse(new FileInfo("/proc/thread-self").ResolveLinkTarget(false)!.Name, System.Globalization.CultureInfo.InvariantCulture);
                Thread.Sleep(1);
                lock (tids)
                {
                    tids.Add(tid);
                }
            })).ToList();
            threads.ForEach(t => t.Start());
            threads.ForEach(t => t.Join());
        }

        Assert.True(tids.Count > 40);
        return tids;
    }

    private static (PerfDataSummary Summary, Events Sink) Read(string folder)
    {
        var sink = new Events();
        return (PerfDataReader.Read(folder, sink, TestContext.Current.CancellationToken), sink);
    }

    /// <summary>The events of each thread. Two recordings read the clock one after the other, so events of two CPUs may
    /// change places.</summary>
    private sealed class Events : ISchedulerEvents
    {
        internal Dictionary<int, List<string>> Of { get; } = [];

        internal HashSet<int> Samples { get; } = [];

        internal HashSet<int> Named { get; } = [];

        /// <summary>Threads that were named or born.</summary>
        internal HashSet<int> Own { get; } = [];

        internal List<(int Prev, int Next)> Switches { get; } = [];

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
        {
            Switches.Add((prevTid, nextTid));
            Add(prevTid, $"out {cpu} {prevState}");
            Add(nextTid, $"in {cpu}");
        }

        public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu) =>
            Add(wakee, $"{wakeup} by {waker} to {targetCpu}");

        public void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack) => Samples.Add(pid);

        public void ThreadName(long time, int pid, int tid, string name)
        {
            Named.Add(pid);
            Own.Add(tid);
        }

        public void ThreadStart(long time, int pid, int tid, int parentTid)
        {
            Own.Add(tid);
            Add(tid, "born");
        }

        public void ThreadExit(long time, int pid, int tid) => Add(tid, "exit");

        private void Add(int tid, string what)
        {
            if (!Of.TryGetValue(tid, out var events))
            {
                Of.Add(tid, events = []);
            }

            events.Add(what);
        }
    }
}
