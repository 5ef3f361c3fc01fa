using System.Diagnostics;
using Poolscope.Workloads.Truth;
using Xunit;

namespace Poolscope.Workloads.Tests;

public sealed class ItemRecorderTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-truth");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void What_has_not_happened_is_minus_one()
    {
        var items = new ItemRecorder(2);
        items.Enqueuing(1);

        Assert.Equal(new ItemTruth(0, -1, -1, -1, -1, -1, -1), items[0]);
        Assert.True(items[1].EnqueueNs > 0);
        Assert.Equal(-1, items[1].StartNs);
        Assert.Equal(-1, items[1].EndThread);
        Assert.False(items.HasStarted(1));
    }

    [Fact]
    public void Each_moment_carries_the_thread_that_it_happened_on()
    {
        var items = new ItemRecorder(1);
        items.Enqueuing(0);
        var start = OnNewThread(() => items.Started(0));
        var end = OnNewThread(() => items.Ended(0));

        var truth = items[0];

        Assert.Equal((OsThread.CurrentId, start, end), (truth.EnqueueThread, truth.StartThread, truth.EndThread));
        Assert.Equal(3, new[] { truth.EnqueueThread, truth.StartThread, truth.EndThread }.Distinct().Count());
        Assert.InRange(truth.StartNs, truth.EnqueueNs, truth.EndNs);
    }

    [Fact]
    public void A_thread_has_the_number_that_the_system_knows_it_by()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc");

        OnNewThread(() => Assert.True(Directory.Exists($"/proc/self/task/{OsThread.CurrentId}")));
    }

    [Fact]
    public void Times_are_nanoseconds_of_the_stopwatch()
    {
        var items = new ItemRecorder(1);
        var before = Nanoseconds();
        items.Enqueuing(0);
        var after = Nanoseconds();

        Assert.InRange(items[0].EnqueueNs, before, after);

        static long Nanoseconds() => (long)(Stopwatch.GetTimestamp() * 1_000_000_000m / Stopwatch.Frequency);
    }

    [Fact]
    public void Recording_allocates_nothing()
    {
        var items = new ItemRecorder(1000);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < items.Count; i++)
        {
            items.Enqueuing(i);
            items.Started(i);
            items.Ended(i);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    [Fact]
    public void The_file_holds_the_arrays_of_the_capture_format()
    {
        var items = new ItemRecorder(2);
        items.Enqueuing(0);
        items.Started(0);
        items.Ended(0);
        var path = Path.Combine(_folder.FullName, TruthFile.Name);

        TruthFile.Write(path, items);

        Assert.Equal([0L, 1L], NpzFile.Int64(path, "id"));
        Assert.Equal([items[0].EnqueueNs, -1], NpzFile.Int64(path, "enqueue_ns"));
        Assert.Equal([items[0].StartNs, -1], NpzFile.Int64(path, "start_ns"));
        Assert.Equal([items[0].EndNs, -1], NpzFile.Int64(path, "end_ns"));
        foreach (var column in new[] { "enqueue_tid", "start_tid", "end_tid" })
        {
            Assert.Equal([OsThread.CurrentId, -1], NpzFile.Int32(path, column));
        }
    }

    [Fact]
    public void The_truth_goes_where_the_user_says_else_where_the_collector_says_else_nowhere()
    {
        var folder = _folder.FullName;

        Assert.Equal("mine.npz", TruthFile.Locate("mine.npz", folder));
        Assert.Equal(Path.Combine(folder, "truth.npz"), TruthFile.Locate(folder, null));
        Assert.Equal(Path.Combine(folder, "truth.npz"), TruthFile.Locate(null, folder));
        Assert.Null(TruthFile.Locate(null, null));
        Assert.Null(TruthFile.Locate(null, ""));
    }

    [Fact]
    public void Probing_leaves_nothing_behind_and_finds_a_missing_folder()
    {
        TruthFile.Probe(Path.Combine(_folder.FullName, TruthFile.Name));

        Assert.Empty(_folder.GetFileSystemInfos());
        Assert.ThrowsAny<IOException>(() => TruthFile.Probe(Path.Combine(_folder.FullName, "missing", TruthFile.Name)));
    }

    private static int OnNewThread(Action action)
    {
        var id = 0;
        Exception? failure = null;
        var thread = new Thread(() =>
        {
            failure = Record.Exception(action);
            id = OsThread.CurrentId;
        });
        thread.Start();
        thread.Join();
        Assert.Null(failure);
        return id;
    }
}
