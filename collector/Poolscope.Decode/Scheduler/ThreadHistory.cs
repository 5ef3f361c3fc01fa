using Poolscope.Tables;

namespace Poolscope.Decode.Scheduler;

/// <summary>The state of a thread, as table thread_states numbers it.</summary>
internal enum ThreadState : byte
{
    Running,
    Ready,
    Blocked,

    /// <summary>The thread has ended; the table has no row for it.</summary>
    Gone,
}

/// <summary>One thread from birth to death, as a list of changes of state. A reused thread id has a separate history.
/// Times are CLOCK_MONOTONIC ns below 2^61.</summary>
/// <param name="predecessorEnd">End of the previous thread with this id, the earliest possible birth; -1 if there was
/// none.</param>
internal sealed class ThreadHistory(int tid, long predecessorEnd)
{
    private const int StateBits = 2;

    private const long None = -1;

    // Time and state share a word, and words are packed, because tens of millions of changes are held at once. Holds
    // all changes except the last one.
    private readonly Column<long> _earlier = new("changes", packs: true);
    private long _last = None;

    internal int Tid { get; } = tid;

    /// <summary>The process id; -1 if unknown.</summary>
    internal int Pid { get; set; } = -1;

    internal string? Name { get; set; }

    /// <summary>Time of birth; -1 if before the recording. If the birth record was lost, the earliest possible
    /// time.</summary>
    internal long Start { get; private set; } = predecessorEnd;

    /// <summary>Time of death; -1 if the thread lived on.</summary>
    internal long End { get; private set; } = -1;

    /// <summary>Time at which the kernel began to end the thread, which still runs until its last switch-out; -1 if it
    /// did not.</summary>
    internal long ExitTime { get; set; } = -1;

    /// <summary>The CPU that the thread last ran on.</summary>
    internal int Cpu { get; set; } = -1;

    /// <summary>Whether a wake-up began while the thread was still running, on its way to sleep.</summary>
    internal bool WakePending { get; set; }

    /// <summary>Whether the thread is ready only because a wake-up began before it left; that wake-up may have
    /// completed by then.</summary>
    internal bool WokenInAdvance { get; set; }

    /// <summary>Whether a wake-up is the only recorded event, so that the thread's sleep is an assumption.</summary>
    internal bool OnlyWoken { get; set; }

    internal int Changes => _earlier.Count + (_last == None ? 0 : 1);

    /// <summary>The current state. Only valid if <see cref="Changes"/> is above zero.</summary>
    internal ThreadState State => StateOf(_last);

    internal long LastChange => TimeOf(_last);

    /// <summary>Records the thread's birth. The thread cannot run until its first wake-up.</summary>
    internal void Born(long time)
    {
        Start = time;
        Enter(time, ThreadState.Blocked);
    }

    /// <summary>Sets the state before the first event, from the earliest possible birth.</summary>
    internal void Assume(ThreadState before)
    {
        if (_last == None)
        {
            Enter(Math.Max(0, Start), before);
        }
    }

    /// <summary>Changes the state. A time before the last change, which only a damaged stream has, counts as the time
    /// of that change.</summary>
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

    /// <summary>Replaces the current state, ready, by blocked since its last change.</summary>
    internal void SleptAfterAll()
    {
        var since = LastChange;
        RemoveLast();
        WokenInAdvance = false;
        Enter(since, ThreadState.Blocked);
    }

    /// <summary>Replaces the state assumed before the first event: the thread was running from its earliest possible
    /// birth.</summary>
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

    /// <summary>Copies consecutive changes until the span is full or no more are left.</summary>
    /// <returns>The number of copied changes.</returns>
    internal int CopyChanges(int first, Span<long> changes)
    {
        var copied = _earlier.CopyTo(Math.Min(first, _earlier.Count), changes);
        if (copied < changes.Length && first + copied == _earlier.Count && _last != None)
        {
            changes[copied++] = _last;
        }

        return copied;
    }

    /// <param name="index">An index below <see cref="Changes"/>.</param>
    internal long ChangeAt(int index) => index < _earlier.Count ? _earlier[index] : _last;

    /// <summary>Returns the number of changes before a time.</summary>
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

    /// <summary>Frees the memory of the changes.</summary>
    internal void Forget()
    {
        _earlier.Clear();
        _last = None;
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
