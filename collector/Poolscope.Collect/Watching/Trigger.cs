using Poolscope.Decode.Live;

namespace Poolscope.Collect.Watching;

/// <summary>Decides at each sample whether a condition fires. It fires once for an incident, and again only after it
/// was false for <see cref="Calm"/> without a break.</summary>
/// <remarks>A starved pool recovers by fits and starts: a thread is added, the queue is empty for a moment, and the
/// next wave waits again. That is one incident.</remarks>
public sealed class Trigger(WatchCondition condition)
{
    public static readonly TimeSpan Calm = TimeSpan.FromSeconds(5);

    private readonly long[] _since = [.. condition.Terms.Select(_ => -1L)];
    private long _falseSince = -1;

    /// <summary>Whether the condition may fire: it has not fired, or has been false for long enough since.</summary>
    private bool _armed = true;

    /// <summary>Whether the condition holds, as of the latest sample.</summary>
    public bool Holds { get; private set; }

    /// <param name="mayFire">Whether the condition may fire now. If not, it may fire at a later sample.</param>
    /// <returns>The term that fires, or null if none does.</returns>
    public WatchTerm? Look(in PoolSample sample, bool mayFire)
    {
        WatchTerm? held = null;
        for (var i = 0; i < _since.Length; i++)
        {
            var term = condition.Terms[i];
            if (!term.Holds(sample))
            {
                _since[i] = -1;
                continue;
            }

            _since[i] = _since[i] < 0 ? sample.NowNs : _since[i];
            held ??= sample.NowNs - _since[i] >= term.For.TotalNanoseconds ? term : null;
        }

        Holds = held is not null;
        if (held is null)
        {
            _falseSince = _falseSince < 0 ? sample.NowNs : _falseSince;
            _armed |= sample.NowNs - _falseSince >= Calm.TotalNanoseconds;
            return null;
        }

        _falseSince = -1;
        if (!_armed || !mayFire)
        {
            return null;
        }

        _armed = false;
        return held;
    }
}
