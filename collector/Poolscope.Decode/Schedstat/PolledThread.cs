using ThreadState = Poolscope.Decode.Scheduler.ThreadState;

namespace Poolscope.Decode.Schedstat;

/// <summary>The life of one thread, from its polled counters. Two readings show how long the thread was on a core, in
/// the run queue, and blocked, but not in which order. Two counters lag: time on a core until the next tick, a wait
/// until it is over. Time in excess of a reading's interval therefore belongs to the time right before.</summary>
internal sealed class PolledThread(int tid, long start)
{
    private const char Runnable = 'R';

    // Counters lag by a tick or by one wait, which is one interval. In a damaged file they may lag by the whole
    // recording each time.
    private const int FarthestBack = 1000;

    private readonly List<Interval> _intervals = [];
    private SchedstatRecord _last;
    private bool _begun;

    internal int Tid { get; } = tid;

    internal string? Name { get; set; }

    /// <summary>The earliest possible start; -1 if before the recording.</summary>
    internal long Start { get; } = start;

    /// <summary>The latest possible end; -1 if the thread lived on.</summary>
    internal long End { get; private set; } = -1;

    internal void Read(in SchedstatRecord reading)
    {
        if (!_begun)
        {
            _begun = true;
            _last = reading.Kind == SchedstatRecordKind.Born
                ? reading with { TimeNs = reading.PreviousNs, RunNs = 0, WaitNs = 0, Slices = 0, State = '?' }
                : reading;
        }

        if (reading.TimeNs <= _last.TimeNs)
        {
            return;
        }

        Unchanged(reading.PreviousNs);
        var length = reading.TimeNs - _last.TimeNs;
        var run = Math.Max(0, reading.RunNs - _last.RunNs);
        var wait = Math.Max(0, reading.WaitNs - _last.WaitNs);
        var (running, ready) = (Math.Min(run, length), Math.Min(wait, length - Math.Min(run, length)));
        var runnable = (From: _last.State == Runnable, To: reading.State == Runnable);
        _intervals.Add(new Interval
        {
            Start = _last.TimeNs,
            End = reading.TimeNs,
            Running = running,
            Ready = ready,
            RunnableFrom = runnable.From,
            RunnableTo = runnable.To,
            AsleepFrom = _last.State is not (Runnable or '?'),

            // A thread comes onto a core after every sleep. If it did not, it cannot have slept, and its counters lag.
            NeverSlept = runnable.From && runnable.To && reading.Slices == _last.Slices,
        });
        TakeFromBefore(run - running, wait - ready);
        _last = reading;
    }

    internal void Ended(in SchedstatRecord record)
    {
        Unchanged(record.PreviousNs);
        End = record.TimeNs;
    }

    /// <summary>Ends the recording of a thread that lives on.</summary>
    internal void Finish(long time)
    {
        if (_begun && End < 0)
        {
            Unchanged(time);
        }
    }

    /// <summary>Returns the thread's states in order, without gap or overlap. Neighbours may have the same
    /// state.</summary>
    internal IEnumerable<(long Start, long End, ThreadState State, long Resolution)> States()
    {
        foreach (var interval in _intervals)
        {
            var at = interval.Start;
            foreach (var (state, length) in interval.Layout())
            {
                if (length > 0)
                {
                    yield return (at, at + length, state, interval.IsMixed ? interval.Length : 0);
                    at += length;
                }
            }
        }
    }

    /// <summary>Adds an interval in which the counters did not change: the thread was asleep, or runnable without a
    /// change on its core. The collector reads only the counters of a sleeping thread, so the thread may have been
    /// woken before the end of the interval; later counters show that.</summary>
    private void Unchanged(long until)
    {
        if (until <= _last.TimeNs)
        {
            return;
        }

        var runnable = _last.State == Runnable;
        _intervals.Add(new Interval
        {
            Start = _last.TimeNs,
            End = until,
            RunnableFrom = runnable,
            RunnableTo = runnable,
            AsleepFrom = _last.State is not (Runnable or '?'),
            NeverSlept = runnable,
        });
        _last = _last with { TimeNs = until, State = runnable ? Runnable : '?' };
    }

    /// <summary>Goes back from the last interval for as long as the thread may have been runnable throughout.</summary>
    private void TakeFromBefore(long run, long wait)
    {
        var last = Math.Max(0, _intervals.Count - 1 - FarthestBack);
        for (var i = _intervals.Count - 1; i > last && run + wait > 0 && !_intervals[i].AsleepFrom; i--)
        {
            var before = _intervals[i - 1];
            var (running, ready) = (Math.Min(run, before.Rest), Math.Min(wait, before.Rest - Math.Min(run, before.Rest)));
            (run, wait) = (run - running, wait - ready);
            if (before.Running + before.Ready == 0 && before.Rest > running + ready && running + ready > 0)
            {
                // No time was counted in this interval, so the late time is at its end, and the rest stays certain.
                var cut = before.End - running - ready;
                _intervals[i - 1] = before with { End = cut };
                _intervals.Insert(i, new Interval { Start = cut, End = before.End, Running = running, Ready = ready, RunnableFrom = before.RunnableFrom, RunnableTo = true });
                return;
            }

            _intervals[i - 1] = before with { Running = before.Running + running, Ready = before.Ready + ready };
        }
    }

    /// <summary>The sums of one interval, ns.</summary>
    private readonly record struct Interval
    {
        internal long Start { get; init; }

        internal long End { get; init; }

        internal long Running { get; init; }

        internal long Ready { get; init; }

        internal bool RunnableFrom { get; init; }

        internal bool RunnableTo { get; init; }

        /// <summary>Whether the thread was seen asleep at the start. If not, it was runnable or its state was not
        /// read.</summary>
        internal bool AsleepFrom { get; init; }

        internal bool NeverSlept { get; init; }

        internal long Length => End - Start;

        internal long Rest => Length - Running - Ready;

        /// <summary>The time that counts as blocked because no counter explains it.</summary>
        private long Blocked => NeverSlept ? 0 : Rest;

        /// <summary>Whether the interval has more than one state, so that their order is a convention.</summary>
        internal bool IsMixed => Layout().Where(part => part.Length > 0).Select(part => part.State).Distinct().Skip(1).Any();

        /// <summary>Returns the states in their conventional order. Blocked time is at the end at which the thread was
        /// seen, or last seen, asleep; half at each end if it was asleep at both; in the middle if at neither. The
        /// thread waits for a core before it runs.</summary>
        internal (ThreadState State, long Length)[] Layout()
        {
            // The counters of a runnable thread may never show the rest: it was on a core if it was there at all, else
            // it waited.
            var running = Running + (NeverSlept && Running > 0 ? Rest : 0);
            var ready = Ready + (NeverSlept && Running == 0 ? Rest : 0);
            return (RunnableFrom, RunnableTo) switch
            {
                (true, true) when Blocked > 0 => [(ThreadState.Running, running), (ThreadState.Blocked, Blocked), (ThreadState.Ready, ready)],
                (true, _) => [(ThreadState.Ready, ready), (ThreadState.Running, running), (ThreadState.Blocked, Blocked)],
                (_, true) => [(ThreadState.Blocked, Blocked), (ThreadState.Ready, ready), (ThreadState.Running, running)],
                _ =>
                [
                    (ThreadState.Blocked, Blocked / 2), (ThreadState.Ready, ready), (ThreadState.Running, running),
                    (ThreadState.Blocked, Blocked - (Blocked / 2)),
                ],
            };
        }
    }
}
