using Poolscope.Decode.Counters;

namespace Poolscope.Collect.EventPipe;

/// <summary>Sets the time between snapshots: short at first and while work items wait late, otherwise the user's beat,
/// and long if snapshots cost much. It uses only the clock and the runtime's counters, never the content of a snapshot,
/// so the moments stay a fair sample.</summary>
/// <param name="beat">The user's mean time between snapshots; above zero.</param>
/// <param name="counters">Returns the latest reading of the runtime's counters, or null if there is none.</param>
internal sealed class SnapshotPace(TimeSpan beat, Func<CounterReading?> counters)
{
    /// <summary>The mean time between close snapshots. docs/overhead.md has the cost of one.</summary>
    public static readonly TimeSpan Close = TimeSpan.FromMilliseconds(250);

    /// <summary>The time of close snapshots at the start: a capture of a few seconds needs enough of them.</summary>
    public static readonly TimeSpan AtFirst = TimeSpan.FromSeconds(5);

    /// <summary>The wait above which an item is late, as in the analysis.</summary>
    private static readonly TimeSpan LateLimit = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest stretch of close snapshots, which contains hundreds of them.</summary>
    private static readonly TimeSpan MostClose = TimeSpan.FromSeconds(60);

    /// <summary>The seconds at the user's beat that earn one second of close snapshots, up to <see cref="MostClose"/>.
    /// A process that is always late must not pay for close snapshots all day.</summary>
    private const double BeatPerClose = 10;

    /// <summary>The time above which an open session holds the process up. The runtime stays suspended while the thread
    /// that walks the stacks has no core. With a free core a session takes 0.1 s; with 200 runnable threads on two busy
    /// cores it took 3 s, and the runtime was suspended for 1.6 s of them.</summary>
    private static readonly TimeSpan Costly = TimeSpan.FromMilliseconds(300);

    /// <summary>The mean gap after a costly session, as a multiple of the time that the session was open.</summary>
    private const double Rest = 10;

    private TimeSpan _budget = MostClose;
    private TimeSpan _least;
    private TimeSpan _asked;
    private bool _close;

    /// <summary>Whether the last session was costly, so that the next one is far off.</summary>
    public bool IsResting => _least > TimeSpan.Zero;

    /// <summary>Returns the mean time to the next snapshot, as of now.</summary>
    /// <param name="elapsed">The time since the recorder began; never less than in the call before.</param>
    public TimeSpan Gap(TimeSpan elapsed)
    {
        var gap = Wanted(elapsed);
        return gap < _least ? _least : gap;
    }

    /// <summary>Records the cost of the last session, whether or not it gave a snapshot.</summary>
    /// <param name="open">The time that the session was open.</param>
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
        // A spent budget must grow to a second first. Otherwise every other gap would be a close one.
        _close = IsLate(counters()) && _budget > (_close ? TimeSpan.Zero : TimeSpan.FromSeconds(1));
        return _close ? Closest : beat;
    }

    private TimeSpan Closest => beat < Close ? beat : Close;

    /// <summary>Returns whether items wait late. By Little's law the items in the queue wait for as long as the pool
    /// takes to complete this many.</summary>
    internal static bool IsLate(CounterReading? reading) =>
        reading is { QueueLength: > 0, Completed: >= 0 } now
        && now.QueueLength * (double)(now.TimeNs - now.SinceNs) > now.Completed * LateLimit.TotalNanoseconds;
}
