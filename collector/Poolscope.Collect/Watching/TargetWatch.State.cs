using Poolscope.Collect.Kept;
using Poolscope.Collect.Live;
using Poolscope.Decode.Live;

namespace Poolscope.Collect.Watching;

/// <summary>Makes the state that is shown, served and printed each second.</summary>
internal sealed partial class TargetWatch
{
    /// <summary>The least wait of a queued item that counts: a newer one's dequeue event may be on its way.</summary>
    private const long LeastQueuedNs = 250_000_000;

    private void Show(in PoolSample sample, long now)
    {
        var shown = sample;
        var phase = _incident is null ? WatchPhase.Watching : _incident.Writing is null ? WatchPhase.Recording : WatchPhase.Writing;
        var readings = _recorder.Streams.Counters.Between(_readings.NextNs, long.MaxValue);
        var wait = sample.WaitNs >= LeastQueuedNs ? Math.Max(_longestNs, sample.WaitNs) : _longestNs;
        _log.State(_readings.State(phase, sample, wait, readings) with
        {
            Terms = [.. _plan.Condition.Terms.Select(term => new TermState(term.Text, term.Holds(shown)))],
            Holds = _trigger.Holds,
            HistoryS = Math.Round((now - _oldestNs) / 1e9, 1),
            Bytes = KeptCaptures.SizeOf(_kept.Folder),
            Captures = _kept.Captures.Count,
        });
        _longestNs = 0;
    }
}
