using Poolscope.Decode.Manifest;
using Poolscope.Decode.WorkItems;
using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>This process queues a prime number of items of several kinds, and the tables hold exactly that
/// many.</summary>
[Collection(nameof(LiveTests))]
[Trait("live", "yes")]
public sealed class LiveDecodeTests
{
    private const int Count = 1009;
    private const int FirstOfOwnHash = -2_000_000;
    private const int SharedHash = -3_000_000;
    private const int RequeuedHash = -4_000_000;
    private const int ChildHash = -5_000_000;

    [Trait("smoke", "yes")]
    [Fact]
    public void Every_item_of_every_kind_is_joined_once()
    {
        var tasks = new int[Count];
        using var capture = new OwnCapture(() =>
        {
            using var left = new CountdownEvent(5 * Count);
            for (var i = 0; i < Count; i++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(new Hashed(FirstOfOwnHash - i, () => left.Signal()), preferLocal: false);
                ThreadPool.UnsafeQueueUserWorkItem(new Hashed(SharedHash, () => left.Signal()), preferLocal: false);
                tasks[i] = Task.Run(() => left.Signal()).Id;
            }

            Requeue(Count, left);
            ThreadPool.UnsafeQueueUserWorkItem(new Hashed(ChildHash - Count, () => QueueChildren(left)), preferLocal: false);
            left.Wait();
            LetWorkersPark();
        });

        var items = capture.ReadTables().Items;

        var byHash = Joined(items).GroupBy(row => items.WorkId[row]).ToDictionary(g => g.Key, g => g.ToArray());
        Assert.All(Enumerable.Range(0, Count), i => Assert.Single(byHash[FirstOfOwnHash - i]));
        Assert.Equal(Count, byHash[SharedHash].Length);
        Assert.Equal(Count, byHash[RequeuedHash].Length);
        Assert.All(Enumerable.Range(0, Count), i => Assert.Single(byHash[ChildHash - i]));

        // The parent of a child is the item that queued it; the parent of a re-queued item is its run before.
        var parent = Assert.Single(byHash[ChildHash - Count]);
        Assert.All(Enumerable.Range(0, Count), i => Assert.Equal(parent, items.Parent[byHash[ChildHash - i][0]]));
        Assert.Equal(byHash[RequeuedHash].SkipLast(1).Select(row => (long)row), byHash[RequeuedHash].Skip(1).Select(row => items.Parent[row]));

        var rowOfTask = Joined(items).Where(row => items.TaskId[row] >= 0).ToLookup(row => items.TaskId[row]);
        Assert.All(tasks, id => Assert.Equal(EndKnown.TaskCompleted, items.HowEnded(Assert.Single(rowOfTask[id]))));

        var mine = byHash.Where(g => g.Key < 0).SelectMany(g => g.Value).ToArray();
        Assert.Equal((4 * Count) + 1, mine.Length);
        Assert.All(mine, row =>
        {
            Assert.InRange(items.Enqueue[row], capture.Start, capture.End);
            Assert.InRange(items.Dequeue[row], items.Enqueue[row], capture.End);
            Assert.InRange(items.End[row], items.Dequeue[row], capture.End);
        });
    }

    [Fact]
    public void A_child_task_is_either_dequeued_or_inlined_by_its_waiter()
    {
        var children = new int[Count];
        using var capture = new OwnCapture(() =>
        {
            var outer = Task.Run(() =>
            {
                for (var i = 0; i < Count; i++)
                {
                    var child = Task.Run(() => { });
                    children[i] = child.Id;
#pragma warning disable xUnit1031 // Blocking on a task inside a pool thread makes it run inline.
                    child.Wait();
#pragma warning restore xUnit1031
                }
            });
            ((IAsyncResult)outer).AsyncWaitHandle.WaitOne();
            LetWorkersPark();
        });

        var items = capture.ReadTables().Items;

        var rowOfTask = Enumerable.Range(0, items.Count).Where(r => items.TaskId[r] >= 0).ToLookup(r => items.TaskId[r]);
        var rows = children.Select(id => Assert.Single(rowOfTask[id])).ToArray();
        var inlined = rows.Where(row => items.Has(row, ItemFlags.Inlined)).ToArray();
        Assert.NotEmpty(inlined);
        Assert.All(inlined, row =>
        {
            Assert.Equal(DequeueKnown.TaskStarted, items.HowDequeued(row));
            Assert.Equal(items.EnqueueTid[row], items.WorkerTid[row]);
            var outer = (int)items.Parent[row];
            Assert.InRange(items.End[row], items.Dequeue[row], items.End[outer]);
        });
        Assert.All(rows.Except(inlined), row => Assert.Equal(DequeueKnown.Event, items.HowDequeued(row)));
        Assert.All(rows, row => Assert.Equal(EndKnown.TaskCompleted, items.HowEnded(row)));
    }

    [Fact]
    public void A_cut_stream_gives_what_it_holds_and_says_that_it_is_cut()
    {
        using var capture = new OwnCapture(() =>
        {
            using var left = new CountdownEvent(20 * Count);
            for (var i = 0; i < 20 * Count; i++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(new Hashed(FirstOfOwnHash, () => left.Signal()), preferLocal: false);
            }

            left.Wait();
            Thread.Sleep(300); // several flushes, so that a cut leaves whole ones
            LetWorkersPark();
        });
        var whole = Decode(capture);
        using (var file = File.OpenWrite(capture.RuntimeFile))
        {
            file.SetLength(file.Length - 100);
        }

        var told = CaptureManifest.Load(capture.Folder).Streams;
        var cut = Decode(capture);
        var again = Decode(capture);

        Assert.Equal(told[0].EndNs, CaptureManifest.Load(capture.Folder).Streams[0].EndNs);
        Assert.Equal(cut.Streams, again.Streams);
        Assert.Equal(cut.Rows, again.Rows);
        Assert.False(Assert.Single(whole.Streams).Cut);
        Assert.Equal(0, whole.Rows["losses"]);
        Assert.Equal(0, whole.Streams[0].Lost);
        Assert.True(Assert.Single(cut.Streams).Cut);
        Assert.Equal(1, cut.Rows["losses"]);
        Assert.InRange(cut.Streams[0].Events, 1, whole.Streams[0].Events);
        Assert.InRange(cut.Streams[0].EndNs, capture.Start, whole.Streams[0].EndNs);
    }

    private static DecodeResult Decode(OwnCapture capture) =>
        CaptureDecoder.Decode(capture.Folder, cancellation: TestContext.Current.CancellationToken);

    /// <summary>Queues one object again each time it runs, as the engines of sockets and async methods do.</summary>
    private static void Requeue(int times, CountdownEvent left)
    {
        Hashed? self = null;
        self = new Hashed(RequeuedHash, () =>
        {
            left.Signal();
            if (Interlocked.Decrement(ref times) > 0)
            {
                ThreadPool.UnsafeQueueUserWorkItem(self!, preferLocal: false);
            }
        });
        ThreadPool.UnsafeQueueUserWorkItem(self, preferLocal: false);
    }

    /// <summary>Fills the worker's local queue, from which other workers steal.</summary>
    private static void QueueChildren(CountdownEvent left)
    {
        for (var i = 0; i < Count; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(new Hashed(ChildHash - i, () => left.Signal()), preferLocal: true);
        }
    }

    /// <summary>Waits until the workers park, because park events end the last items.</summary>
    private static void LetWorkersPark() => Thread.Sleep(100);

    private static IEnumerable<int> Joined(WorkItemTable items) => Enumerable.Range(0, items.Count).Where(row =>
        items.HowEnqueued(row) == EnqueueKnown.Event && items.HowDequeued(row) == DequeueKnown.Event);
}
