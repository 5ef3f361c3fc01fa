using Poolscope.Collect.Errors;
using Poolscope.Collect.Flight;
using Poolscope.Collect.Kept;
using Poolscope.Collect.Live;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Watching;

/// <summary>Follows an incident from the firing of the condition to the kept capture.</summary>
internal sealed partial class TargetWatch
{
    /// <summary>Ends an incident because the process has ended, or a signal came.</summary>
    private async Task EndIncidentAsync(Incident incident)
    {
        await _turning.ConfigureAwait(false);
        if (incident.Writing is null)
        {
            var alive = TargetAlive;
            if (!alive)
            {
                await Task.WhenAny(Task.WhenAll(_recorder.Streams.Follower.Ended, _recorder.Streams.WaitsEnded), Task.Delay(EndSlack)).ConfigureAwait(false);
            }

            if (!incident.Cut)
            {
                incident.Stop = alive ? StopReason.Duration : _recorder.Streams.HasEndMark ? StopReason.TargetExit : StopReason.TargetKilled;
                using var ticks = new Timer(_ => _recorder.Tick(), null, Beat, Beat);
                await TurnAsync(last: true).ConfigureAwait(false);
            }

            incident.Writing = WriteAsync(incident, [.. _recorder.Ended], incident.Stop);
        }

        await incident.Writing.ConfigureAwait(false);
    }

    private async Task WriteAsync(Incident incident, IReadOnlyList<RecorderSlot> slots, string stop)
    {
        CaptureFolder? folder = null;
        try
        {
            if (slots.Count == 0)
            {
                throw new IOException(_recorder.WriteFailure ?? "nothing was recorded");
            }

            var look = await incident.Look.ConfigureAwait(false);
            folder = CaptureFolder.Create(_kept.NextRecording());
            await Task.Run(() => _assembly.WriteAsync(folder.FullPath, slots, stop, look, TargetAlive)).ConfigureAwait(false);
            incident.Copied = true;
            var hasTables = await _plan.Decode(folder.FullPath).ConfigureAwait(false);
            var capture = _kept.Keep(folder.FullPath, _plan.Name, incident.Firing);
            var next = hasTables ? "poolscope report" : CommandName.InOwnWords("poolscope decode");
            _log.Event(new EventLine(
                DateTime.UtcNow, EventLine.Captured, _plan.Pid, incident.Firing.Term, incident.Firing.HistoryS, capture, $"captured in {capture}. Next: {next} {capture}"));
            await _plan.Finish(capture).ConfigureAwait(false);
        }
        catch (Exception e) when (e is CommandException or IOException or UnauthorizedAccessException)
        {
            folder?.Discard();
            _log.Event(new EventLine(DateTime.UtcNow, EventLine.Failed, _plan.Pid, incident.Firing.Term, Message: $"the capture could not be written: {e.Message}"));
        }
    }

    private sealed record Incident(long FiredNs, Firing Firing)
    {
        /// <summary>The reason why the capture ends: one of <see cref="StopReason"/>.</summary>
        public string Stop { get; set; } = StopReason.Duration;

        /// <summary>The pool when the condition was met, or null if it was not read, or could not be.</summary>
        public Task<LookInfo?> Look { get; init; } = Task.FromResult<LookInfo?>(null);

        /// <summary>Whether the incident's last slot has ended, or is about to.</summary>
        public bool Cut { get; set; }

        /// <summary>The writing of the capture, or null while the incident is being recorded.</summary>
        public Task? Writing { get; set; }

        /// <summary>Whether the incident's slots are no longer needed.</summary>
        public bool Copied { get; set; }
    }
}
