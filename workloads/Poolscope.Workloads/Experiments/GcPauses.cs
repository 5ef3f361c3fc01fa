using System.Diagnostics;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Batches of items. The first item of a batch makes another thread collect a large heap: the rest of the
/// batch is queued, and cores are free, but the runtime is suspended. (A thread that queues items one by one also stops
/// in a suspension, and few of its items would wait.)</summary>
public sealed class GcPauses : IWorkload
{
    private const int Batch = 8;

    // Many times the work of a batch, so that the batch waits mainly for the suspension.
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(150);

    public WorkloadDescription Description { get; } = new(
        "gc-pauses",
        "8 items of 10 ms of CPU work every 400 ms, and with each batch a full collection of about 150 ms",
        null,
        null,
        [new ExpectedVerdict("", ["runtime-suspended"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(full ? 800 : 160, 400, 10);

    public void Run(WorkloadRun run)
    {
        var iterations = SpinWork.Calibrate(run.Settings.Work);
        var heap = GrowUntilACollectionTakes(s_pause);
        using var begun = new AutoResetEvent(false);
        var over = false;
        var collector = new Thread(() =>
        {
            while (begun.WaitOne() && !Volatile.Read(ref over))
            {
                Collect();
            }
        })
        {
            Name = "Collector",
            IsBackground = true,
        };
        collector.Start();
        run.Batch = Batch;
        run.QueueAll(item =>
        {
            if (item % Batch == 0)
            {
                begun.Set();
            }

            SpinWork.Spin(iterations);
        });
        Volatile.Write(ref over, true);
        begun.Set();
        collector.Join();
        GC.KeepAlive(heap);
    }

    /// <summary>Creates many small linked objects, which a collection has to follow one by one.</summary>
    private static List<Node?> GrowUntilACollectionTakes(TimeSpan pause)
    {
        const int nodesPerStep = 200_000;
        const int mostSteps = 100; // 20 million nodes of 24 bytes: half a gigabyte
        var heap = new List<Node?>();
        for (var step = 0; step < mostSteps; step++)
        {
            Node? list = null;
            for (var i = 0; i < nodesPerStep; i++)
            {
                list = new Node(list);
            }

            heap.Add(list);
            var begin = Stopwatch.GetTimestamp();
            Collect();
            if (Stopwatch.GetElapsedTime(begin) >= pause)
            {
                break;
            }
        }

        return heap;
    }

    private static void Collect() => GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);

    private sealed class Node(Node? next)
    {
        public Node? Next { get; } = next;
    }
}
