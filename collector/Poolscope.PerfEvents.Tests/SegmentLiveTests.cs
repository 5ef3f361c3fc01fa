using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>A recording of this machine that is cut while it runs.</summary>
[Trait("live", "yes")]
public sealed class SegmentLiveTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-segments").FullName;

    public SegmentLiveTests()
    {
        var probe = TracepointAccess.Probe();
        Assert.SkipUnless(probe.Available, probe.Why);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>Twenty cuts amid switches lose nothing: joined from the first or a later cut on, the segments hold each
    /// event once, in order, and the name of each thread that switches.</summary>
    [Fact]
    public async Task Segments_joined_are_the_recording()
    {
        var segments = new List<SchedulerSegment>();
        using var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(_folder));
        for (var i = 0; i < 20; i++)
        {
            Storm();
            segments.Add(recording.Cut(Path.Combine(_folder, $"{i}.perf.data")));
        }

        var (whole, all) = await ReadAsync(recording, segments, "all");
        Assert.Equal((segments.Sum(segment => segment.Events), 0L, false, null), (whole.Events, whole.Lost, whole.Cut, whole.Damage));
        Assert.True(whole.Events > 2000, $"{whole.Events} events");
        Assert.Equal(0, all.Disorder);

        var (front, first) = await ReadAsync(recording, segments[..9], "front");
        var (rest, second) = await ReadAsync(recording, segments[9..], "rest");
        Assert.Equal(whole.Events, front.Events + rest.Events);

        // A silent task has only its arrival reported. The first switch on a CPU may repeat one from before the cut.
        Assert.InRange(first.Switches + second.Switches - all.Switches, 0, Environment.ProcessorCount);
        Assert.Empty(second.Threads.Except(second.Named));
        Assert.InRange(segments[9].StartNs, segments[8].EndNs, segments[9].EndNs);
        var end = recording.Stop();
        Assert.True(end.Events >= whole.Events);
    }

    /// <summary>A segment and those before it hold everything up to its end. An event at the moment of a cut is in the
    /// next segment and is younger than that end.</summary>
    [Fact]
    public async Task A_segment_has_everything_up_to_its_end()
    {
        var segments = new List<SchedulerSegment>();
        using var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(_folder));
        var over = false;
        var storms = Task.Factory.StartNew(
            () =>
            {
                while (!Volatile.Read(ref over))
                {
                    Storm();
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        for (var i = 0; i < 10; i++)
        {
            await Task.Delay(5, TestContext.Current.CancellationToken);
            segments.Add(recording.Cut(Path.Combine(_folder, $"{i}.perf.data")));
        }

        Volatile.Write(ref over, true);
        await storms;
        for (var i = 1; i < segments.Count; i++)
        {
            var (_, sink) = await ReadAsync(recording, segments[i..], $"from-{i}");
            Assert.True(sink.First >= segments[i - 1].EndNs, $"segment {i - 1}: {segments[i - 1].EndNs - sink.First} ns before its end");
        }
    }

    [Fact]
    public void A_recording_that_has_ended_is_not_cut()
    {
        using var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(_folder));
        recording.Stop();
        Assert.Throws<IOException>(() => recording.Cut(Path.Combine(_folder, "next")));
    }

    private async Task<(PerfDataSummary Read, Sink Sink)> ReadAsync(SchedulerRecording recording, List<SchedulerSegment> segments, string name)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, name)).FullName;
        var bytes = await recording.JoinAsync(folder, segments);
        Assert.Equal(bytes, new FileInfo(Path.Combine(folder, SchedulerRecording.DataFileName)).Length);
        var sink = new Sink();
        return (PerfDataReader.Read(folder, sink, TestContext.Current.CancellationToken), sink);
    }

    /// <summary>Makes two threads wake each other in turns, through events on which neither spins.</summary>
    private static void Storm()
    {
        using var ping = new AutoResetEvent(false);
        using var pong = new AutoResetEvent(false);
        var other = new Thread(() =>
        {
            for (var i = 0; i < 100; i++)
            {
                ping.WaitOne();
                pong.Set();
            }
        });
        other.Start();
        for (var i = 0; i < 100; i++)
        {
            ping.Set();
            pong.WaitOne();
        }

        other.Join();
    }

    private sealed class Sink : ISchedulerEvents
    {
        private long _last;

        /// <summary>Time of the first switch, ns.</summary>
        public long First { get; private set; } = long.MaxValue;

        public int Switches { get; private set; }

        public int Disorder { get; private set; }

        public HashSet<int> Named { get; } = [];

        /// <summary>Threads of this process that have switches.</summary>
        public HashSet<int> Threads { get; } = [];

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
        {
            Switches++;
            Disorder += time < _last ? 1 : 0;
            _last = time;
            First = Math.Min(First, time);
            if (Directory.Exists($"/proc/self/task/{nextTid}"))
            {
                Threads.Add(nextTid);
            }
        }

        public void ThreadName(long time, int pid, int tid, string name) => Named.Add(tid);

        public void ThreadStart(long time, int pid, int tid, int parentTid) => Named.Add(tid);
    }
}
