using System.Diagnostics;
using Poolscope.Decode.Scheduler;
using Poolscope.PerfEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>sched_wakeup is not recorded where every task tells its events. Here is a recording with it, decoded with and
/// without: the states must be the same.</summary>
[Trait("live", "yes")]
public sealed class WakeupCompletionLiveTests(ITestOutputHelper output)
{
    [Fact]
    public void States_do_not_depend_on_sched_wakeup()
    {
        var probe = TracepointAccess.Probe();
        Assert.SkipUnless(probe.Available, probe.Why);
        var folder = Directory.CreateTempSubdirectory("poolscope-wakeups").FullName;
        try
        {
            long start, end;
            using (var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(folder) { SilentTasks = SilentTaskEvents.Always }))
            {
                Contend();
                (start, end) = (recording.StartNs, Stopwatch.GetTimestamp());
                Assert.Equal(0, recording.Stop().Lost);
            }

            var with = Read(folder, start, end, sink => sink);
            var counted = new Completions();
            var without = Read(folder, start, end, sink => counted.Before(sink));
            Assert.True(counted.Dropped > 1000, $"only {counted.Dropped} wake-ups were told");
            var differing = with.Except(without).Count() + without.Except(with).Count();
            output.WriteLine($"{counted.Dropped} sched_wakeup left out of {with.Count} states of own threads; {differing} states differ");

            // A wake-up that a silent task should have told leaves some states open.
            Assert.InRange(differing, 0, with.Count / 1000);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static List<(int Tid, long Start, long End, byte State)> Read(
        string folder, long start, long end, Func<ISchedulerEvents, ISchedulerEvents> through)
    {
        var tables = new SchedulerTables(Environment.ProcessId, start, end);
        PerfDataReader.Read(folder, through(tables), TestContext.Current.CancellationToken);
        tables.Finish();
        var states = tables.ThreadStates;
        var threads = tables.Threads;
        var own = Enumerable.Range(0, threads.Count)
            .Where(row => threads.Int32("pid")[row] == Environment.ProcessId)
            .Select(row => threads.Int32("tid")[row])
            .ToHashSet();
        return [.. Enumerable.Range(0, states.Count).Where(row => own.Contains(states.Int32("tid")[row])).Select(row =>
            (states.Int32("tid")[row], states.Int64("start")[row], states.Int64("end")[row], states.Enum("state")[row]))];
    }

    /// <summary>Threads that wake each other from all cores while they fall asleep: where wake-ups and sleeps race.</summary>
    private static void Contend()
    {
        using var gate = new SemaphoreSlim(1);
        var threads = Enumerable.Range(0, 6).Select(_ => new Thread(() =>
        {
            for (var round = 0; round < 2000; round++)
            {
                gate.Wait();
                Thread.SpinWait(20);
                gate.Release();
            }
        })).ToList();
        using var ping = new AutoResetEvent(false);
        using var pong = new AutoResetEvent(false);
        threads.Add(new Thread(() =>
        {
            for (var round = 0; round < 5000; round++)
            {
                ping.WaitOne();
                pong.Set();
            }
        }));
        threads.Add(new Thread(() =>
        {
            for (var round = 0; round < 5000; round++)
            {
                ping.Set();
                pong.WaitOne();
            }
        }));
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
    }

    /// <summary>Passes everything on but sched_wakeup.</summary>
    private sealed class Completions : ISchedulerEvents
    {
        private ISchedulerEvents _next = null!;

        internal int Dropped { get; private set; }

        internal Completions Before(ISchedulerEvents next)
        {
            _next = next;
            return this;
        }

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => _next.Switch(time, cpu, prevTid, prevState, nextTid);

        public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
        {
            if (wakeup == WakeupEvent.Wakeup)
            {
                Dropped++;
            }
            else
            {
                _next.Wakeup(time, cpu, wakeup, waker, wakee, targetCpu);
            }
        }

        public void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack) => _next.Sample(time, cpu, pid, tid, userStack);

        public void ThreadName(long time, int pid, int tid, string name) => _next.ThreadName(time, pid, tid, name);

        public void ThreadStart(long time, int pid, int tid, int parentTid) => _next.ThreadStart(time, pid, tid, parentTid);

        public void ThreadExit(long time, int pid, int tid) => _next.ThreadExit(time, pid, tid);

        public void Lost(long after, long before, int cpu, long count) => _next.Lost(after, before, cpu, count);
    }
}
