using ThreadState = Poolscope.Decode.Scheduler.ThreadState;

namespace Poolscope.Decode.Schedstat;

/// <summary>One thread's life as its counters tell it. Between two readings the sums of time on a core, in the run queue and
/// blocked are known, and not their order. Two counters lag: time on a core until the next tick, a wait until it is over.
/// What a reading brings beyond its interval is therefore taken from the time right before.</summary>
internal sealed class PolledThread(int tid, long start)
{
    private const char Runnable = 'R';

    // Counters lag by a tick or by one wait, which is one interval; a damaged file may have them lag by all of it, each time.
    private const int FarthestBack = 1000;

    private readonly List<Interval> _intervals = [];
    private SchedstatRecord _last;
    private bool _begun;

    internal int Tid { get; } = tid;

    internal string? Name { get; set; }

    /// <summary>Not before this moment; -1: before the recording.</summary>
    internal long Start { get; } = start;

    /// <summary>Not after this moment; -1: lived on.</summary>
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

            // It comes onto a core after every sleep: one that did not come cannot have slept, its counters lag.
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

    /// <summary>The recording ends, and the thread lives on.</summary>
    internal void Finish(long time)
    {
        if (_begun && End < 0)
        {
            Unchanged(time);
        }
    }

    /// <summary>Its states in order, without gap or overlap; neighbours may be of one state.</summary>
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

    /// <summary>Its counters stood still up to a time: asleep, or runnable and never at a core's change. A thread that
    /// sleeps is only asked for its counters, so it may have been woken before the end, which then tell later.</summary>
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
                // Nothing was counted in it, so what was counted late is the end of it, and the rest stays certain.
                var cut = before.End - running - ready;
                _intervals[i - 1] = before with { End = cut };
                _intervals.Insert(i, new Interval { Start = cut, End = before.End, Running = running, Ready = ready, RunnableFrom = before.RunnableFrom, RunnableTo = true });
                return;
            }

            _intervals[i - 1] = before with { Running = before.Running + running, Ready = before.Ready + ready };
        }
    }

    /// <summary>Sums of one interval. Times ns.</summary>
    private readonly record struct Interval
    {
        internal long Start { get; init; }

        internal long End { get; init; }

        internal long Running { get; init; }

        internal long Ready { get; init; }

        internal bool RunnableFrom { get; init; }

        internal bool RunnableTo { get; init; }

        /// <summary>Seen asleep at its start. Otherwise it was runnable, or nobody looked.</summary>
        internal bool AsleepFrom { get; init; }

        internal bool NeverSlept { get; init; }

        internal long Length => End - Start;

        internal long Rest => Length - Running - Ready;

        /// <summary>What counts as blocked because nothing else explains it.</summary>
        private long Blocked => NeverSlept ? 0 : Rest;

        /// <summary>More than one state, so that the order is a convention.</summary>
        internal bool IsMixed => Layout().Where(part => part.Length > 0).Select(part => part.State).Distinct().Skip(1).Any();

        /// <summary>The convention: blocked time stands where the thread was seen, or last seen, asleep, half and half where
        /// that is both ends, and in the middle where it is neither; before it runs it waits for a core.</summary>
        internal (ThreadState State, long Length)[] Layout()
        {
            // A runnable thread whose counters never told the rest: it was on a core if it was there at all, else it waited.
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
