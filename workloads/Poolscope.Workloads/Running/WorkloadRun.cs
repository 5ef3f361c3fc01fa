using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Truth;

namespace Poolscope.Workloads.Running;

/// <summary>A run in progress. Queues items on a thread of its own, records them, and waits for them without using the
/// pool.</summary>
public sealed class WorkloadRun : IDisposable
{
    private readonly CountdownEvent _unfinished;
    private readonly ManualResetEventSlim _stop = new();
    private readonly long _begin = Stopwatch.GetTimestamp();
    private readonly List<Figure> _figures = [];
    private Exception? _firstFailure;
    private int _failures;
    private int? _threadsAtEnd;

    /// <param name="limits">The pool's limits for this run; null if unknown.</param>
    public WorkloadRun(RunSettings settings, IPool pool, PoolLimits? limits = null)
    {
        Settings = settings;
        Limits = limits;
        Pool = pool;
        Items = new ItemRecorder(settings.Count);
        _unfinished = new CountdownEvent(settings.Count);
    }

    public RunSettings Settings { get; }

    public IPool Pool { get; }

    /// <summary>The pool's limits for this run; null if unknown.</summary>
    public PoolLimits? Limits { get; }

    public ItemRecorder Items { get; }

    /// <summary>Worker threads of the pool right after the last item had ended (without items: now).</summary>
    public int ThreadsAtEnd => _threadsAtEnd ?? Pool.ThreadCount;

    /// <summary>Number of items queued together at each interval. Default: 1.</summary>
    public int Batch { get; set; } = 1;

    /// <summary>The experiment's measurements beside its items, in the order in which they are printed.</summary>
    public IReadOnlyList<Figure> Figures => _figures;

    /// <summary>Number of items that threw. They count as ended.</summary>
    public int Failures => Volatile.Read(ref _failures);

    /// <summary>The exception of the first failed item.</summary>
    public Exception? FirstFailure => Volatile.Read(ref _firstFailure);

    /// <summary>Time since the run began.</summary>
    public TimeSpan Elapsed => Stopwatch.GetElapsedTime(_begin);

    /// <summary>Returns when <see cref="RunSettings.Work"/> is over, or at <see cref="Stop"/>. For a workload that runs
    /// for a time.</summary>
    public void WaitForItsTime() => _stop.Wait(Settings.Work);

    /// <summary>Ends a workload that runs for a time. One that queues a number of items continues to its
    /// last.</summary>
    public void Stop() => _stop.Set();

    /// <summary>Adds a measured figure. Call it on the main thread, after the items have ended.</summary>
    public void Measured(string name, double value, string unit) => _figures.Add(new Figure(name, value, unit));

    /// <summary>Queues <paramref name="body"/> once per item and waits until all have ended.</summary>
    public void QueueAll(Action<int> body) => StartAll(body, Pool.Queue);

    /// <summary>Does the same with another way to start an item: <paramref name="start"/> receives the item's code and
    /// number, and must not run it on the calling thread.</summary>
    public void StartAll(Action<int> body, Action<Action<int>, int> start)
    {
        Action<int> item = number => Execute(body, number);
        RuntimeHelpers.PrepareDelegate(item);
        RuntimeHelpers.PrepareDelegate(body);
        Generate(number => start(item, number));
    }

    /// <summary>Does the same for asynchronous items: an item ends when its task does.</summary>
    public void QueueAll(Func<int, Task> body)
    {
        Func<int, Task> item = number => ExecuteAsync(body, number);
        RuntimeHelpers.PrepareDelegate(item);
        RuntimeHelpers.PrepareDelegate(body);
        Generate(number => Pool.QueueAsync(item, number));
    }

    public void Dispose()
    {
        _unfinished.Dispose();
        _stop.Dispose();
    }

    private void Generate(Action<int> queue)
    {
        // Neither a pool thread nor the main one, so that the trace shows the generator apart from all else.
        var generator = new Thread(() => Pacer.Run(Settings.Count, Settings.Interval, number =>
        {
            Items.Enqueuing(number);
            queue(number);
        }, Batch))
        {
            Name = "Item generator",
            IsBackground = true,
        };
        generator.Start();
        generator.Join();
        _unfinished.Wait();
        _threadsAtEnd = Pool.ThreadCount;
    }

    private void Execute(Action<int> body, int number)
    {
        Items.Started(number);
        try
        {
            body(number);
        }
        catch (Exception e) // An item that throws on a pool thread would end the process and lose the truth.
        {
            Failed(e);
        }

        Items.Ended(number);
        _unfinished.Signal();
    }

    private async Task ExecuteAsync(Func<int, Task> body, int number)
    {
        Items.Started(number);
        try
        {
            // Returns to the item's pool: a reference pool is the current scheduler of its items.
            await body(number).ConfigureAwait(true);
        }
        catch (Exception e)
        {
            Failed(e);
        }

        Items.Ended(number);
        _unfinished.Signal();
    }

    private void Failed(Exception e)
    {
        Interlocked.CompareExchange(ref _firstFailure, e, null);
        Interlocked.Increment(ref _failures);
    }
}
