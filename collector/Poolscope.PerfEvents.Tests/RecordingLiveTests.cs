using System.Diagnostics;
using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Real recordings of this machine, half a second each.</summary>
[Trait("live", "yes")]
public sealed class RecordingLiveTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-sched").FullName;

    private string DataFile => Path.Combine(_folder, SchedulerRecording.DataFileName);

    public RecordingLiveTests()
    {
        var probe = TracepointAccess.Probe();
        Assert.SkipUnless(probe.Available, probe.Why);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Trait("smoke", "yes")]
    [Fact]
    public void What_was_recorded_is_what_is_read_in_order()
    {
        var progress = Record(new SchedulerRecordingOptions(_folder), Storm);
        var sink = new Counter();
        var summary = PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);

        Assert.Equal((progress.Events, progress.Lost, progress.Bytes, false), (summary.Events, summary.Lost, summary.Bytes, summary.Cut));
        Assert.True(sink.Switches > 100);
        Assert.Equal(0, sink.Disorder);
    }

    [Theory]
    [InlineData("script")]
    [InlineData("sched", "timehist")]
    public async Task Perf_opens_it(params string[] command)
    {
        Assert.SkipUnless(File.Exists("/usr/bin/perf"), "perf is not installed");
        Record(new SchedulerRecordingOptions(_folder), Storm);

        using var perf = Process.Start(new ProcessStartInfo("/usr/bin/perf", [.. command, "-i", DataFile]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var errors = perf.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var lines = (await perf.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken)).Split('\n').Length;
        await perf.WaitForExitAsync(TestContext.Current.CancellationToken);

        Assert.Equal((0, true), (perf.ExitCode, lines > 100));
        Assert.DoesNotContain("out of order", await errors, StringComparison.Ordinal);
    }

    /// <summary>The files that a killed recorder leaves: copied while it runs, and then cut inside a record.</summary>
    [Fact]
    public void A_recording_that_was_never_completed_decodes_up_to_the_cut()
    {
        var copy = Directory.CreateDirectory(Path.Combine(_folder, "copy")).FullName;
        Record(new SchedulerRecordingOptions(_folder), () =>
        {
            Storm();
            Thread.Sleep(250); // the drain thread looks at least every 100 ms
            foreach (var name in new[] { SchedulerRecording.DataFileName, SchedulerRecording.MetaFileName })
            {
                File.Copy(Path.Combine(_folder, name), Path.Combine(copy, name));
            }
        });

        var whole = PerfDataReader.Read(copy, new Counter(), TestContext.Current.CancellationToken);
        using (var file = File.OpenWrite(Path.Combine(copy, SchedulerRecording.DataFileName)))
        {
            file.SetLength(file.Length - 1001);
        }

        var cut = PerfDataReader.Read(copy, new Counter(), TestContext.Current.CancellationToken);
        Assert.True(whole is { Cut: true, Events: > 100 });
        Assert.True(cut.Cut);
        Assert.InRange(cut.Events, whole.Events - 20, whole.Events - 1);
    }

    [Fact]
    public void A_tiny_ring_loses_events_and_says_how_many()
    {
        using var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(_folder) { RingBytesPerCpu = Environment.SystemPageSize });
        for (var i = 0; i < 40 && recording.Progress.Lost == 0; i++) // the drain may keep up with one storm
        {
            Storm();
        }

        var progress = recording.Stop();
        var sink = new Counter();
        PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);

        Assert.True(progress.Lost > 0);
        Assert.Equal(progress.Lost, sink.LostEvents);
    }

    [Fact]
    public void It_stops_itself_at_the_size_limit()
    {
        const int limit = 1 << 20;
        using var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(_folder) { MaxBytes = limit, TargetPid = Environment.ProcessId });
        for (var i = 0; i < 20 && !recording.Progress.ReachedMaxBytes; i++)
        {
            Storm();
        }

        var progress = recording.Stop();
        Assert.True(progress.ReachedMaxBytes);
        Assert.Equal(progress, recording.Stop());
        Assert.InRange(new FileInfo(DataFile).Length, 1, limit);
    }

    /// <summary>Any damage gives one line about the file or fewer events, never a crash or a hang.</summary>
    [Fact]
    public void Damage_is_reported_not_suffered()
    {
        Record(new SchedulerRecordingOptions(_folder) { TargetPid = Environment.ProcessId }, () => Thread.Sleep(50));
        var original = File.ReadAllBytes(DataFile);
        var random = new Random(1);
        var refused = 0;
        for (var round = 0; round < 400; round++)
        {
            var damaged = original[..(round % 4 == 0 ? random.Next(1, original.Length) : original.Length)];
            for (var flips = random.Next(1, 20); flips > 0; flips--)
            {
                damaged[random.Next(round % 2 == 0 ? damaged.Length : Math.Min(damaged.Length, 2000))] ^= (byte)(1 << random.Next(8));
            }

            File.WriteAllBytes(DataFile, damaged);
            try
            {
                refused += PerfDataReader.Read(_folder, new Counter(), TestContext.Current.CancellationToken).Damage is null ? 0 : 1;
            }
            catch (InvalidDataException e)
            {
                Assert.DoesNotContain('\n', e.Message);
                refused++;
            }
        }

        Assert.InRange(refused, 1, 399);
    }

    private static SchedulerRecordingProgress Record(SchedulerRecordingOptions options, Action meanwhile)
    {
        using var recording = SchedulerRecording.Start(options);
        meanwhile();
        return recording.Stop();
    }

    /// <summary>Makes two threads wake each other thousands of times. A SemaphoreSlim would spin instead of
    /// switching.</summary>
    private static void Storm()
    {
        using var ping = new AutoResetEvent(false);
        using var pong = new AutoResetEvent(false);
        var other = new Thread(() =>
        {
            for (var i = 0; i < 3000; i++)
            {
                ping.WaitOne();
                pong.Set();
            }
        });
        other.Start();
        for (var i = 0; i < 3000; i++)
        {
            ping.Set();
            pong.WaitOne();
        }

        other.Join();
    }

    private sealed class Counter : ISchedulerEvents
    {
        private long _last;

        internal long Switches { get; private set; }

        internal long LostEvents { get; private set; }

        internal long Disorder { get; private set; }

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
        {
            Switches++;
            Disorder += time < _last ? 1 : 0;
            _last = time;
        }

        public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
        {
            Disorder += time < _last ? 1 : 0;
            _last = time;
        }

        public void Lost(long after, long before, int cpu, long count) => LostEvents += count;
    }
}
