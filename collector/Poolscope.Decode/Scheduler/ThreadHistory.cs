using Poolscope.Tables;

namespace Poolscope.Decode.Scheduler;

/// <summary>What a thread does, as table thread_states numbers it.</summary>
internal enum ThreadState : byte
{
    Running,
    Ready,
    Blocked,

    /// <summary>Ended: no row of the table.</summary>
    Gone,
}

/// <summary>One thread from birth to death, as a list of changes of state. A reused thread id is another history.
/// Times are CLOCK_MONOTONIC ns below 2^61.</summary>
/// <param name="predecessorEnd">End of the last thread with this id, whose successor's birth was not seen; -1: none.</param>
internal sealed class ThreadHistory(int tid, long predecessorEnd)
{
    private const int StateBits = 2;

    private const long None = -1;

    // Time and state share a word, and words are packed: tens of millions of changes are held at once. All but the last one.
    private readonly Column<long> _earlier = new("changes", packs: true);
    private long _last = None;

    internal int Tid { get; } = tid;

    /// <summary>-1: unknown.</summary>
    internal int Pid { get; set; } = -1;

    internal string? Name { get; set; }

    /// <summary>-1: before the recording. Not before this moment, where the birth was lost.</summary>
    internal long Start { get; private set; } = predecessorEnd;

    /// <summary>-1: lived on.</summary>
    internal long End { get; private set; } = -1;

    /// <summary>The kernel has begun to take the thread down; it still runs until its last switch-out. -1: no.</summary>
    internal long ExitTime { get; set; } = -1;

    /// <summary>CPU that it last ran on.</summary>
    internal int Cpu { get; set; } = -1;

    /// <summary>A wake-up began while it was still running, on its way to sleep.</summary>
    internal bool WakePending { get; set; }

    /// <summary>It is ready only because a wake-up had begun before it left; that wake-up may have been over by then.</summary>
    internal bool WokenInAdvance { get; set; }

    /// <summary>All that is known of it is that it was woken: whether it slept is an assumption.</summary>
    internal bool OnlyWoken { get; set; }

    internal int Changes => _earlier.Count + (_last == None ? 0 : 1);

    /// <summary>Only meaningful once <see cref="Changes"/> is above zero.</summary>
    internal ThreadState State => StateOf(_last);

    internal long LastChange => TimeOf(_last);

    /// <summary>The thread was born now; it cannot run until its first wake-up.</summary>
    internal void Born(long time)
    {
        Start = time;
        Enter(time, ThreadState.Blocked);
    }

    /// <summary>What it must have done before its first event, since it can have existed.</summary>
    internal void Assume(ThreadState before)
    {
        if (_last == None)
        {
            Enter(Math.Max(0, Start), before);
        }
    }

    /// <summary>Changes state. A time before the last change, which only a damaged stream has, counts as that change's.</summary>
    internal void Enter(long time, ThreadState state)
    {
        if (_last != None)
        {
            if (State == state)
            {
                return;
            }

            time = Math.Max(time, LastChange);
            if (time == LastChange)
            {
                // No time passed in the old state.
                RemoveLast();
                if (_last != None && State == state)
                {
                    return;
                }
            }
        }

        if (_last != None)
        {
            _earlier.Add(_last);
        }

        _last = time << StateBits | (long)state;
    }

    /// <summary>What looked ready since its last change was blocked.</summary>
    internal void SleptAfterAll()
    {
        var since = LastChange;
        RemoveLast();
        WokenInAdvance = false;
        Enter(since, ThreadState.Blocked);
    }

    /// <summary>What was assumed before its first event was wrong: it had been running since it can have existed.</summary>
    internal void RanAllAlong()
    {
        while (_last != None)
        {
            RemoveLast();
        }

        Assume(ThreadState.Running);
    }

    internal void Died(long time)
    {
        Enter(time, ThreadState.Gone);
        End = LastChange;
    }

    /// <summary>Copies changes one after another, as many as there is room for.</summary>
    /// <returns>How many.</returns>
    internal int CopyChanges(int first, Span<long> changes)
    {
        var copied = _earlier.CopyTo(Math.Min(first, _earlier.Count), changes);
        if (copied < changes.Length && first + copied == _earlier.Count && _last != None)
        {
            changes[copied++] = _last;
        }

        return copied;
    }

    /// <param name="index">Below <see cref="Changes"/>.</param>
    internal long ChangeAt(int index) => index < _earlier.Count ? _earlier[index] : _last;

    /// <summary>Changes before a time.</summary>
    internal int ChangesBefore(long time)
    {
        var (low, high) = (0, Changes);
        while (low < high)
        {
            var middle = low + ((high - low) / 2);
            (low, high) = TimeOf(ChangeAt(middle)) < time ? (middle + 1, high) : (low, middle);
        }

        return low;
    }

    private void RemoveLast()
    {
        _last = None;
        if (_earlier.Count > 0)
        {
            _last = _earlier[_earlier.Count - 1];
            _earlier.RemoveLast();
        }
    }

    internal static ThreadState StateOf(long change) => (ThreadState)(change & ((1 << StateBits) - 1));

    internal static long TimeOf(long change) => change >> StateBits;
}
