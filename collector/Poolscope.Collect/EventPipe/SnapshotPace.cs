using Poolscope.Decode.Counters;

namespace Poolscope.Collect.EventPipe;

/// <summary>Says how far apart snapshots are to be: close at first and while work items wait late, else at the beat that the
/// user asked for, and far apart where they cost much. It looks at the clock and at the runtime's counters only, never at what a
/// snapshot showed, so the moments stay a fair sample.</summary>
/// <param name="beat">Mean time between snapshots otherwise; above zero.</param>
/// <param name="counters">The latest reading of the runtime's counters; null: none.</param>
internal sealed class SnapshotPace(TimeSpan beat, Func<CounterReading?> counters)
{
    /// <summary>Mean time between snapshots while they are close. docs/overhead.md has what one costs.</summary>
    public static readonly TimeSpan Close = TimeSpan.FromMilliseconds(250);

    /// <summary>A capture of a few seconds is to have enough of them too.</summary>
    public static readonly TimeSpan AtFirst = TimeSpan.FromSeconds(5);

    /// <summary>An item that waits longer than this is late, as in the analysis.</summary>
    private static readonly TimeSpan LateLimit = TimeSpan.FromMilliseconds(50);

    /// <summary>Longest stretch of close snapshots, by which time there are hundreds.</summary>
    private static readonly TimeSpan MostClose = TimeSpan.FromSeconds(60);

    /// <summary>This much time at the user's beat earns a second of close snapshots, up to <see cref="MostClose"/>: a process that
    /// is always late must not pay for it all day.</summary>
    private const double BeatPerClose = 10;

    /// <summary>A session that is open for longer holds the process up: the runtime stays suspended while the thread that
    /// walks the stacks has no core. With a core free a session takes 0.1 s; with 200 runnable threads on two busy ones it
    /// took 3 s, 1.6 s of them suspended.</summary>
    private static readonly TimeSpan Costly = TimeSpan.FromMilliseconds(300);

    /// <summary>After a costly session the mean gap is this many times as long as it was open.</summary>
    private const double Rest = 10;

    private TimeSpan _budget = MostClose;
    private TimeSpan _least;
    private TimeSpan _asked;
    private bool _close;

    /// <summary>The last session was costly: the next one is far off.</summary>
    public bool IsResting => _least > TimeSpan.Zero;

    /// <summary>Mean time to the next snapshot, as of now.</summary>
    /// <param name="elapsed">Since the recorder began; never less than at the call before.</param>
    public TimeSpan Gap(TimeSpan elapsed)
    {
        var gap = Wanted(elapsed);
        return gap < _least ? _least : gap;
    }

    /// <summary>Tells what the last session cost, whether it gave a snapshot or not.</summary>
    /// <param name="open">How long its session was open.</param>
    public void Took(TimeSpan open) => _least = open > Costly ? open * Rest : TimeSpan.Zero;

    private TimeSpan Wanted(TimeSpan elapsed)
    {
        var passed = elapsed - _asked;
        _asked = elapsed;
        if (elapsed < AtFirst)
        {
            return Closest;
        }

        _budget += _close ? -passed : passed / BeatPerClose;
        _budget = _budget < TimeSpan.Zero ? TimeSpan.Zero : _budget > MostClose ? MostClose : _budget;
        // Once spent, a second of it is saved up before it is spent again, or every other gap would be a close one.
        _close = IsLate(counters()) && _budget > (_close ? TimeSpan.Zero : TimeSpan.FromSeconds(1));
        return _close ? Closest : beat;
    }

    private TimeSpan Closest => beat < Close ? beat : Close;

    /// <summary>By Little's law the items in the queue wait for as long as the pool takes to complete this many.</summary>
    internal static bool IsLate(CounterReading? reading) =>
        reading is { QueueLength: > 0, Completed: >= 0 } now
        && now.QueueLength * (double)(now.TimeNs - now.SinceNs) > now.Completed * LateLimit.TotalNanoseconds;
}
