using System.Diagnostics;

namespace Poolscope.Workloads.Truth;

/// <summary>Records when, by the workload's own clock, each work item was queued, started and ended, and on which OS
/// thread.</summary>
/// <remarks>Item numbers run from 0. One thread at a time writes an item's record, into the item's own slots, so
/// recording neither locks nor allocates: a recorder that disturbed the pool would give no ground truth.</remarks>
public sealed class ItemRecorder
{
    private const int Absent = -1;

    private readonly long[] _enqueue;
    private readonly long[] _start;
    private readonly long[] _end;
    private readonly int[] _enqueueThread;
    private readonly int[] _startThread;
    private readonly int[] _endThread;

    /// <param name="count">Number of items that the run queues, 0 or more.</param>
    public ItemRecorder(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        _enqueue = Times(count);
        _start = Times(count);
        _end = Times(count);
        _enqueueThread = Threads(count);
        _startThread = Threads(count);
        _endThread = Threads(count);
        Rehearse();
    }

    public int Count => _start.Length;

    /// <summary>Records an enqueue. Call it right before the item is queued. It reads the clock last, so that none of
    /// the recorder's own cost counts as waiting.</summary>
    public void Enqueuing(int item)
    {
        _enqueueThread[item] = OsThread.CurrentId;
        Volatile.Write(ref _enqueue[item], Stopwatch.GetTimestamp());
    }

    /// <summary>Records a start. Call it as the item's first statement; it reads the clock first.</summary>
    public void Started(int item)
    {
        var now = Stopwatch.GetTimestamp();
        _startThread[item] = OsThread.CurrentId;
        Volatile.Write(ref _start[item], now);
    }

    /// <summary>Records an end. Call it as the item's last statement; it reads the clock last. An asynchronous item may
    /// end on another thread than it started on.</summary>
    public void Ended(int item)
    {
        _endThread[item] = OsThread.CurrentId;
        Volatile.Write(ref _end[item], Stopwatch.GetTimestamp());
    }

    /// <summary>The item's record so far; safe to read while the run goes on.</summary>
    public ItemTruth this[int item]
    {
        get
        {
            // Each time is published after its thread, so the times are read first.
            var enqueue = Nanoseconds(Volatile.Read(ref _enqueue[item]));
            var start = Nanoseconds(Volatile.Read(ref _start[item]));
            var end = Nanoseconds(Volatile.Read(ref _end[item]));
            return new ItemTruth(item, enqueue, _enqueueThread[item], start, _startThread[item], end, _endThread[item]);
        }
    }

    /// <summary>Returns whether the item has started; cheaper than its record.</summary>
    public bool HasStarted(int item) => Volatile.Read(ref _start[item]) != Absent;

    /// <summary>Converts a Stopwatch reading to nanoseconds without rounding twice. On Linux the reading already is in
    /// nanoseconds of CLOCK_MONOTONIC.</summary>
    private static long Nanoseconds(long timestamp)
    {
        const long perSecond = 1_000_000_000;
        return timestamp == Absent
            ? Absent
            : (timestamp / Stopwatch.Frequency * perSecond)
              + (timestamp % Stopwatch.Frequency * perSecond / Stopwatch.Frequency);
    }

    private static long[] Times(int count)
    {
        // Filled, not only allocated, so that no item pays for the first touch of a page.
        var times = new long[count];
        Array.Fill(times, Absent);
        return times;
    }

    private static int[] Threads(int count)
    {
        var threads = new int[count];
        Array.Fill(threads, Absent);
        return threads;
    }

    /// <summary>Compiles the recording methods and the thread query now, instead of inside the first item.</summary>
    private void Rehearse()
    {
        if (Count == 0)
        {
            return;
        }

        Enqueuing(0);
        Started(0);
        Ended(0);
        _enqueue[0] = _start[0] = _end[0] = Absent;
        _enqueueThread[0] = _startThread[0] = _endThread[0] = Absent;
    }
}

/// <summary>One item as the workload saw it. Times in ns of CLOCK_MONOTONIC (Windows: of the performance counter);
/// -1 if it has not happened.</summary>
public readonly record struct ItemTruth(
    int Item, long EnqueueNs, int EnqueueThread, long StartNs, int StartThread, long EndNs, int EndThread);
