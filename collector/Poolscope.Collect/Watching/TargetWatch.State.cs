using Poolscope.Collect.Live;
using Poolscope.Decode.Watching;

namespace Poolscope.Collect.Watching;

/// <summary>What is shown, served and printed each second.</summary>
internal sealed partial class TargetWatch
{
    private void Show(in PoolSample sample, long now)
    {
        var shown = sample;
        var phase = _incident is null ? WatchPhase.Watching : _incident.Writing is null ? WatchPhase.Recording : WatchPhase.Writing;
        var readings = _recorder.Streams.Counters.Between(_readings.NextNs, long.MaxValue);
        _log.State(_readings.State(phase, sample, _longestNs, readings) with
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
