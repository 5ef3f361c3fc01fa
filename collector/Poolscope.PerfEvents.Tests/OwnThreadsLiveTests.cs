using System.Diagnostics;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Real recordings of this process's own threads, without the privilege that tracepoints need.</summary>
[Trait("live", "yes")]
public sealed class OwnThreadsLiveTests : IDisposable
{
    private const int Sleeps = 101;

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-own").FullName;

    public OwnThreadsLiveTests()
    {
        var probe = TargetSwitchAccess.Probe(null);
        Assert.SkipUnless(probe.Available, probe.Why);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>One thread exists before the recording and starts another during it. That one inherits the event, with
    /// birth, name and death.</summary>
    [Trait("smoke", "yes")]
    [Fact]
    public void Old_and_new_threads_are_seen_to_sleep_and_to_end()
    {
        var (oldTid, newTid) = (0, 0);
        using var ready = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        var old = new Thread(() =>
        {
            oldTid = Tid();
            ready.Set();
            go.Wait();
            var child = new Thread(() =>
            {
                newTid = Tid();
                Sleep();
            })
            { Name = "born later" };
            child.Start();
            Sleep();
            child.Join();
        });
        old.Start();
        ready.Wait(TestContext.Current.CancellationToken);

        using var recording = SchedulerRecording.StartOfTarget(Options());
        go.Set();
        old.Join();
        foreach (var tid in new[] { oldTid, newTid })
        {
            // A join returns before the kernel's thread has ended.
            Assert.True(SpinWait.SpinUntil(() => !Directory.Exists($"/proc/self/task/{tid}"), TimeSpan.FromSeconds(10)));
        }

        var progress = recording.Stop();
        var sink = new Sink();
        var read = PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);

        Assert.Equal((progress.Events, 0, false), (read.Events, read.Lost, read.Cut));
        foreach (var tid in new[] { oldTid, newTid })
        {
            // Each sleep is one voluntary departure; a lock or a garbage collection may add some.
            Assert.InRange(sink.Departures.Count(d => d == (tid, false)), Sleeps, 3 * Sleeps);
            Assert.Contains(tid, sink.Exits);
        }

        Assert.Contains(newTid, sink.Births);
        Assert.DoesNotContain(oldTid, sink.Births);
        Assert.Equal("born later", sink.Names[newTid]);
        Assert.Equal([Environment.ProcessId], sink.Pids);
        Assert.Equal(0, sink.Disorder);
    }

    [Fact]
    public void A_thread_that_computes_is_preempted_and_does_not_sleep()
    {
        using var recording = SchedulerRecording.StartOfTarget(Options());
        var tids = new int[2 * Environment.ProcessorCount];
        var threads = tids.Select((_, i) => new Thread(() =>
        {
            tids[i] = Tid();
            for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < 500;)
            {
            }
        })).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
        recording.Stop();
        var sink = new Sink();
        PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);

        var theirs = sink.Departures.Where(d => tids.Contains(d.Tid)).ToList();
        Assert.True(theirs.Count(d => d.Preempted) > 3 * theirs.Count(d => !d.Preempted), $"{theirs.Count(d => d.Preempted)} of {theirs.Count}");
    }

    /// <summary>Frame pointers lead through compiled code, so its samples reach from the loop to the thread's start in
    /// libc.</summary>
    [Fact]
    public void A_thread_that_computes_is_sampled_with_its_call_chain_and_the_modules_it_passes()
    {
        using var recording = SchedulerRecording.StartOfTarget(Options());
        var computing = 0;
        var thread = new Thread(() =>
        {
            computing = Tid();
            // A second on a core, however long that takes beside other threads. With few samples, the first ones, on
            // the way into the loop, would be a large share.
            while (Libc.ThreadCpuNs() < 1_000_000_000)
            {
                for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < 20;)
                {
                }
            }
        });
        thread.Start();
        thread.Join();
        recording.Stop();
        var sink = new Sink();
        PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);

        var chains = sink.Samples.Where(s => s.Tid == computing).Select(s => s.Chain).ToList();
        Assert.InRange(chains.Count, 50, 130); // 99 a second of its time on a core
        var runtime = sink.Mapped("libcoreclr.so");
        Assert.True(chains.Count(c => c.Length > 3 && runtime.Any(m => c.Any(ip => ip - m.Address < m.Length))) > 0.9 * chains.Count);
        // The loop is the thread's own code; the runtime interrupts it now and then, to compile it better.
        Assert.True(chains.Count(c => runtime.Any(m => c[0] - m.Address < m.Length)) <= 0.1 * chains.Count);
    }

    [Fact]
    public async Task Perf_opens_it()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/perf"), "perf is not installed");
        using (var recording = SchedulerRecording.StartOfTarget(Options()))
        {
            Sleep();
        }

        var file = Path.Combine(_folder, SchedulerRecording.DataFileName);
        using var perf = Process.Start(new ProcessStartInfo("/usr/bin/perf", ["script", "--show-switch-events", "-i", file]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var errors = perf.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var output = await perf.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await perf.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, perf.ExitCode);
        Assert.True(output.Split("PERF_RECORD_SWITCH").Length > 2 * Sleeps);
        Assert.DoesNotContain("out of order", await errors, StringComparison.Ordinal);
    }

    [Fact]
    public void A_process_that_is_gone_is_refused_and_leaves_no_file()
    {
        var gone = Assert.Throws<SchedulerRefusedException>(() => SchedulerRecording.StartOfTarget(Options() with { TargetPid = int.MaxValue }));
        Assert.Contains("has ended", gone.Why, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFiles(_folder));
        Assert.Throws<ArgumentException>(() => SchedulerRecording.StartOfTarget(Options() with { TargetPid = null }));
    }

    private SchedulerRecordingOptions Options() => new(_folder) { TargetPid = Environment.ProcessId };

    private static void Sleep()
    {
        for (var i = 0; i < Sleeps; i++)
        {
            Thread.Sleep(1);
        }
    }

    /// <summary>Returns the id of the calling thread.</summary>
    private static int Tid() => int.Parse(new FileInfo("/proc/thread-self").ResolveLinkTarget(false)!.Name, System.Globalization.CultureInfo.InvariantCulture);

    private sealed class Sink : ISchedulerEvents
    {
        private readonly List<(string Name, ulong Address, ulong Length)> _mappings = [];
        private long _last;

        internal List<(int Tid, bool Preempted)> Departures { get; } = [];

        internal HashSet<int> Births { get; } = [];

        internal HashSet<int> Exits { get; } = [];

        internal HashSet<int> Pids { get; } = [];

        internal Dictionary<int, string> Names { get; } = [];

        internal List<(int Tid, ulong[] Chain)> Samples { get; } = [];

        internal List<(string Name, ulong Address, ulong Length)> Mapped(string file) =>
            [.. _mappings.Where(m => m.Name.EndsWith('/' + file))];

        internal int Disorder { get; private set; }

        public void ThreadIn(long time, int cpu, int pid, int tid) => Seen(time, pid);

        public void ThreadOut(long time, int cpu, int pid, int tid, bool preempted)
        {
            Seen(time, pid);
            Departures.Add((tid, preempted));
        }

        public void ThreadName(long time, int pid, int tid, string name) => Names[tid] = name;

        public void ThreadStart(long time, int pid, int tid, int parentTid) => Births.Add(tid);

        public void ThreadExit(long time, int pid, int tid) => Exits.Add(tid);

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => Disorder++;

        public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu) => Disorder++;

        public void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack)
        {
            Seen(time, pid);
            Samples.Add((tid, userStack.ToArray()));
        }

        public void Mapping(long time, int pid, ulong address, ulong length, ulong fileOffset, string name) =>
            _mappings.Add((name, address, length));

        private void Seen(long time, int pid)
        {
            Pids.Add(pid);
            Disorder += time < _last ? 1 : 0;
            _last = time;
        }
    }
}
