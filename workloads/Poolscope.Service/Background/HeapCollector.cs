namespace Poolscope.Service.Background;

/// <summary>The fault `gc`: a dedicated thread keeps a heap of some 250 MB and collects and compacts it, blocking, over
/// and over, like code that "frees the memory of the export". No managed code runs meanwhile.</summary>
public sealed class HeapCollector : IDisposable
{
    // Small objects of 32 bytes, which the collector has to visit one by one.
    private const int Objects = 8_000_000;

    // The time between collections, which take about as long.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(300);

    private readonly ManualResetEventSlim _ended = new();
    private readonly Thread _thread;

    /// <summary>Creates the heap, which is not part of the fault, and starts the thread.</summary>
    public HeapCollector()
    {
        var exported = Row.Chain(Objects);
        _thread = new Thread(() => CollectPeriodically(exported)) { Name = "Exporter", IsBackground = true };
        _thread.Start();
    }

    public void Dispose()
    {
        _ended.Set();
        _thread.Join();
        _ended.Dispose();
    }

    private void CollectPeriodically(Row exported)
    {
        while (!_ended.Wait(Pause))
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);
        }

        GC.KeepAlive(exported);
    }

    private sealed class Row
    {
        private Row? _next;
        private long _value;

        public static Row Chain(int length)
        {
            var first = new Row();
            var last = first;
            for (var i = 1; i < length; i++)
            {
                last = last._next = new Row { _value = i };
            }

            return first._value >= 0 ? first : last;
        }
    }
}
