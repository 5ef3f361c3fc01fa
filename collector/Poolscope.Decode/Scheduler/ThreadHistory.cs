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

    // Time and state share a word: tens of millions of changes are held at once.
    private readonly List<long> _changes = [];

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

    internal int Changes => _changes.Count;

    /// <summary>Only meaningful once <see cref="Changes"/> is above zero.</summary>
    internal ThreadState State => StateOf(_changes[^1]);

    internal long LastChange => TimeOf(_changes[^1]);

    /// <summary>The thread was born now; it cannot run until its first wake-up.</summary>
    internal void Born(long time)
    {
        Start = time;
        Enter(time, ThreadState.Blocked);
    }

    /// <summary>What it must have done before its first event, since it can have existed.</summary>
    internal void Assume(ThreadState before)
    {
        if (_changes.Count == 0)
        {
            Enter(Math.Max(0, Start), before);
        }
    }

    /// <summary>Changes state. A time before the last change, which only a damaged stream has, counts as that change's.</summary>
    internal void Enter(long time, ThreadState state)
    {
        if (_changes.Count > 0)
        {
            if (State == state)
            {
                return;
            }

            time = Math.Max(time, LastChange);
            if (time == LastChange)
            {
                // No time passed in the old state.
                _changes.RemoveAt(_changes.Count - 1);
                if (_changes.Count > 0 && State == state)
                {
                    return;
                }
            }
        }

        _changes.Add(time << StateBits | (long)state);
    }

    /// <summary>What looked ready since its last change was blocked.</summary>
    internal void SleptAfterAll()
    {
        var since = LastChange;
        _changes.RemoveAt(_changes.Count - 1);
        WokenInAdvance = false;
        Enter(since, ThreadState.Blocked);
    }

    /// <summary>What was assumed before its first event was wrong: it had been running since it can have existed.</summary>
    internal void RanAllAlong()
    {
        _changes.Clear();
        Assume(ThreadState.Running);
    }

    internal void Died(long time)
    {
        Enter(time, ThreadState.Gone);
        End = LastChange;
    }

    /// <summary>Its states between two times, in order, without gap or overlap.</summary>
    internal IEnumerable<(long Start, long End, ThreadState State)> Between(long from, long to)
    {
        for (var i = 0; i < _changes.Count; i++)
        {
            var state = StateOf(_changes[i]);
            var start = Math.Max(TimeOf(_changes[i]), from);
            var end = Math.Min(i + 1 < _changes.Count ? TimeOf(_changes[i + 1]) : long.MaxValue, to);
            if (start < end && state != ThreadState.Gone)
            {
                yield return (start, end, state);
            }
        }
    }

    private static ThreadState StateOf(long change) => (ThreadState)(change & ((1 << StateBits) - 1));

    private static long TimeOf(long change) => change >> StateBits;
}
