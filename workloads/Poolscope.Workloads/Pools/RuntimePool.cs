namespace Poolscope.Workloads.Pools;

/// <summary>The runtime's own thread pool.</summary>
public sealed class RuntimePool : IPool
{
    public const string RuntimeName = "runtime";

    public string Name => RuntimeName;

    public int ThreadCount => ThreadPool.ThreadCount;

    public long CompletedItems => ThreadPool.CompletedWorkItemCount;

    /// <remarks>The runtime refuses a minimum above the current maximum and a maximum below the current minimum. So the
    /// order matters, and a maximum below the default minimum (the number of processors) needs the minimum lowered
    /// first. The limits of I/O threads get the maximum too, as in SetMaxThreads(10, 10); they have no meaning since
    /// .NET 6.</remarks>
    public PoolLimits Limit(int? minThreads, int? maxThreads)
    {
        ThreadPool.GetMinThreads(out var min, out var ioMin);
        ThreadPool.GetMaxThreads(out var max, out _);
        string? note = null;
        var wantedMin = minThreads ?? min;
        if (minThreads is null && maxThreads < min)
        {
            wantedMin = maxThreads.Value;
            note = $"the default minimum of {min} was lowered to {wantedMin} first, since a maximum below it is refused";
        }

        if (wantedMin > max)
        {
            SetMax(maxThreads);
            SetMin(wantedMin, min, ioMin, maxThreads);
        }
        else
        {
            SetMin(wantedMin, min, ioMin, maxThreads);
            SetMax(maxThreads);
        }

        ThreadPool.GetMinThreads(out min, out _);
        ThreadPool.GetMaxThreads(out max, out _);
        return min == wantedMin && (maxThreads is null || max == maxThreads)
            ? new PoolLimits(min, max, note)
            : throw new PoolRefusedException(
                $"asked the pool for min {wantedMin}, max {maxThreads?.ToString() ?? "default"} threads, but it now has min {min}, max {max}");
    }

    public void Queue(Action<int> body, int item) => ThreadPool.QueueUserWorkItem(body, item, preferLocal: false);

    public void QueueAsync(Func<int, Task> body, int item) => _ = Task.Run(() => body(item));

    public IDisposable StartTimer(TimeSpan due, TimeSpan period, Action callback) =>
        new Timer(static state => ((Action)state!)(), callback, due, period);

    public void Dispose()
    {
        // The pool belongs to the process.
    }

    private static void SetMin(int wanted, int current, int ioCurrent, int? max)
    {
        if (wanted != current && !ThreadPool.SetMinThreads(wanted, Math.Min(ioCurrent, max ?? ioCurrent)))
        {
            throw new PoolRefusedException($"the runtime refused a minimum of {wanted} threads (it was {current})");
        }
    }

    private static void SetMax(int? wanted)
    {
        if (wanted is { } max && !ThreadPool.SetMaxThreads(max, max))
        {
            ThreadPool.GetMinThreads(out var min, out _);
            throw new PoolRefusedException($"the runtime refused a maximum of {max} threads (the minimum is {min})");
        }
    }
}
