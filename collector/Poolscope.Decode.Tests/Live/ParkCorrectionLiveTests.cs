using System.Diagnostics;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Scheduler;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Decode.WorkItems;
using Poolscope.PerfEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>Ends known from park events, with a real scheduler stream and the items' own clock readings.</summary>
[Collection(nameof(LiveTests))]
[Trait("live", "yes")]
public sealed class ParkCorrectionLiveTests : IDisposable
{
    private const int Count = 101;
    private const int FirstHash = -6_000_000;

    /// <summary>The error of a corrected end, ns (docs/event-semantics.md).</summary>
    private const long CorrectedToNs = 100_000;

    private readonly DirectoryInfo _schedulerFolder = Directory.CreateTempSubdirectory("poolscope-park");
    private readonly long[] _ended = new long[Count];

    public void Dispose() => _schedulerFolder.Delete(recursive: true);

    /// <summary>The correction's one constant fits the runtime that runs this test. A runtime that spins differently
    /// before it parks must not go unnoticed.</summary>
    [Fact]
    public void A_worker_spins_about_as_long_as_assumed_before_it_parks()
    {
        using var recording = Record();
        using var capture = new OwnCapture(QueueOneByOne);
        recording.Stop();
        var scheduler = new SchedulerTables(Environment.ProcessId, capture.Start, capture.End);
        PerfDataReader.Read(_schedulerFolder.FullName, scheduler, TestContext.Current.CancellationToken);
        scheduler.Finish();
        var items = capture.ReadTables().Items;
        var parked = Parked(items).ToArray();

        var spins = parked.Select(p => Running(scheduler, items.WorkerTid[p.Row], _ended[p.Index], items.End[p.Row])).Order().ToArray();

        var uncorrected = parked.Select(p => Math.Abs(items.End[p.Row] - _ended[p.Index])).Order().ToArray();

        // The test runner shares the pool, so not every item is followed by a park, but most are.
        Assert.InRange(parked.Length, Count / 2, Count);
        var median = spins[spins.Length / 2];
        TestContext.Current.SendDiagnosticMessage($"{parked.Length} parks, spin {spins[0]} to {spins[^1]} ns, median {median} ns");

        // Compares the undisturbed spins, not the median: the spin yields at every other turn, and beside other work
        // most take several times as long.
        Assert.InRange(spins[spins.Length / 20], ParkCorrection.SpinNs / 5, ParkCorrection.SpinNs * 5);

        Assert.True(ParkCorrection.Apply(items, scheduler.RunningIntervals, _ => false, (_, _) => -1) >= parked.Length * 9 / 10);
        var errors = parked.Select(p => Math.Abs(items.End[p.Row] - _ended[p.Index])).Order().ToArray();

        // The error is smaller than uncorrected, or as small as documented. A process whose spin is shorter than half
        // of the assumed one (one in ten, median 37 to 45 us) is better off uncorrected, but still within this bound.
        Assert.InRange(errors[errors.Length / 2], 0, Math.Max(uncorrected[uncorrected.Length / 2] - 1, CorrectedToNs));
    }

    [Fact]
    public void A_whole_capture_gives_all_tables()
    {
        using var recording = Record();
        using var capture = new OwnCapture(QueueOneByOne);
        recording.Stop();
        foreach (var file in _schedulerFolder.GetFiles())
        {
            file.CopyTo(Path.Combine(capture.Folder, file.Name));
        }

        // As a killed collector leaves it: no stream has an end.
        Manifests.Of(CaptureStatus.Recording).Save(capture.Folder);
        var result = CaptureDecoder.Decode(capture.Folder, cancellation: TestContext.Current.CancellationToken);

        Assert.Equal(
            Poolscope.Tables.Schema.Current.Tables.Select(t => t.Name).Where(t => t is not ("item_parts" or "socket_reports" or "request_parts" or "snapshots" or "snapshot_moments" or "pool_counters" or "event_counts" or "throttles" or "capacity" or "lost_cpu" or "requests" or "earlier_requests" or "calls" or "activities" or "earlier_calls")).Order(), result.Rows.Keys.Order());
        Assert.Equal(["runtime.nettrace", "sched.perf.data"], result.Streams.Select(s => s.File).Order());
        Assert.All(result.Streams, stream =>
        {
            Assert.True(stream is { Cut: false, Lost: 0, Events: > 0 }, stream.ToString());
            Assert.InRange(stream.StartNs, 1, capture.End);
            Assert.InRange(stream.EndNs, capture.Start, long.MaxValue);
        });
        Assert.True(result.Items.EndsCorrected > 0);
        Assert.True(result.Rows["thread_states"] > Count);
    }

    private SchedulerRecording Record()
    {
        try
        {
            return SchedulerRecording.Start(new SchedulerRecordingOptions(_schedulerFolder.FullName) { Sockets = true });
        }
        catch (SchedulerRefusedException e)
        {
            Assert.Skip(e.Message);
            throw;
        }
    }

    /// <summary>Queues items far enough apart for the worker to park between them.</summary>
    private void QueueOneByOne()
    {
        using var left = new CountdownEvent(Count);
        for (var i = 0; i < Count; i++)
        {
            var index = i;
            ThreadPool.UnsafeQueueUserWorkItem(
                new Hashed(FirstHash - i, () =>
                {
                    Thread.SpinWait(20_000); // longer than the spin, so that the dequeue is no bound
                    left.Signal();
                    _ended[index] = (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
                }),
                preferLocal: false);
            Thread.Sleep(3);
        }

        left.Wait();
        Thread.Sleep(100);
    }

    private static IEnumerable<(int Row, int Index)> Parked(WorkItemTable items) =>
        from row in Enumerable.Range(0, items.Count)
        let index = FirstHash - items.WorkId[row]
        where index is >= 0 and < Count && items.HowEnded(row) == EndKnown.Park
        select (row, (int)index);

    private static long Running(SchedulerTables scheduler, int tid, long from, long to)
    {
        var sum = 0L;
        foreach (var (start, end) in scheduler.RunningIntervals(tid))
        {
            sum += Math.Max(0, Math.Min(end, to) - Math.Max(start, from));
        }

        return sum;
    }
}
