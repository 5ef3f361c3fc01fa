using Poolscope.Workloads.Truth;

namespace Poolscope.Workloads.Running;

/// <summary>Prints a line for each item that has started. It watches the record on a thread of its own, so that no item
/// ever waits for a terminal. A line may come a tenth of a second after the start.</summary>
public sealed class StartLog : IDisposable
{
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(100);

    private readonly ItemRecorder _items;
    private readonly TextWriter _output;
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;
    private readonly List<int> _waiting;

    public StartLog(ItemRecorder items, TextWriter output)
    {
        _items = items;
        _output = output;
        _waiting = [.. Enumerable.Range(0, items.Count)];
        _thread = new Thread(Watch) { Name = "Start log", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Prints the remaining lines and stops.</summary>
    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
    }

    private void Watch()
    {
        bool last;
        do
        {
            last = _stop.Wait(Beat);
            Print();
        }
        while (!last);
    }

    private void Print()
    {
        var started = _waiting.Where(_items.HasStarted).Select(i => _items[i]).OrderBy(t => t.StartNs).ToList();
        if (started.Count == 0)
        {
            return;
        }

        var printed = started.Select(t => t.Item).ToHashSet();
        _waiting.RemoveAll(printed.Contains);
        var origin = _items[0].EnqueueNs;
        foreach (var item in started)
        {
            _output.WriteLine(
                $"{(item.StartNs - origin) / 1e9,9:F3} s  item {item.Item} started on thread {item.StartThread}, "
                + $"{(item.StartNs - item.EnqueueNs) / 1e6:F1} ms after it was queued");
        }
    }
}
