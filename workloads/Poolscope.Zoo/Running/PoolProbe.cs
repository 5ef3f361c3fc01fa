using System.Diagnostics;

namespace Zoo.Running;

/// <summary>Measures how late the pool is, without any tracing: a dedicated thread queues an item every 20 ms and
/// measures when it starts. Only with <c>--probe</c>, because its items would appear in a recording.</summary>
internal sealed class PoolProbe
{
    private const int StepMs = 20;
    private const double LateMs = 50;

    private readonly List<(long Queued, StrongBox Started)> _items = [];

    /// <summary>Starts to queue.</summary>
    public static PoolProbe Start()
    {
        var probe = new PoolProbe();
        new Thread(probe.Queue) { IsBackground = true, Name = "probe" }.Start();
        return probe;
    }

    /// <summary>Writes the waits as a line of JSON to standard error. An item that never started waited until now.</summary>
    public void Print()
    {
        (long Queued, StrongBox Started)[] items;
        lock (_items)
        {
            items = [.. _items];
        }

        var now = Stopwatch.GetTimestamp();
        var waits = items
            .Select(i => Stopwatch.GetElapsedTime(i.Queued, Volatile.Read(ref i.Started.Value) is var s && s > 0 ? s : now).TotalMilliseconds)
            .Order().ToArray();
        var late = waits.Where(w => w > LateMs).ToArray();
        Console.Error.WriteLine(FormattableString.Invariant(
            $"{{\"probed\": {waits.Length}, \"late\": {late.Length}, \"late_s\": {late.Sum() / 1000:0.000}, \"p50_ms\": {At(waits, 0.5):0.0}, \"max_ms\": {At(waits, 1):0.0}}}"));
    }

    private static double At(double[] sorted, double share) =>
        sorted.Length == 0 ? 0 : sorted[(int)(share * (sorted.Length - 1))];

    private void Queue()
    {
        while (true)
        {
            var started = new StrongBox();
            lock (_items)
            {
                _items.Add((Stopwatch.GetTimestamp(), started));
            }

            ThreadPool.UnsafeQueueUserWorkItem(static b => Volatile.Write(ref b.Value, Stopwatch.GetTimestamp()), started, preferLocal: false);
            Thread.Sleep(StepMs);
        }
    }

    private sealed class StrongBox
    {
        public long Value;
    }
}
