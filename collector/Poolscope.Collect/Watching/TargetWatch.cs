using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Watching;

namespace Poolscope.Collect.Watching;

/// <summary>How one process is watched.</summary>
/// <param name="Name">Of the target, for its captures.</param>
/// <param name="Plan">Of a recording in a folder that is given.</param>
/// <param name="Finish">Does what is to be done with a capture that has its place; never throws.</param>
internal sealed record WatchPlan(
    int Pid,
    string Name,
    string? Runtime,
    WatchCondition Condition,
    TimeSpan Before,
    TimeSpan After,
    Func<string, RecordingPlan> Plan,
    Func<string, Task> Decode,
    Func<string, Task> Finish);

/// <summary>Watches one process to its end: a session that tells the pool's state, and recordings in turn.</summary>
internal sealed class TargetWatch : IAsyncDisposable
{
    /// <summary>From one look to the next.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(100);

    private static readonly TimeSpan SessionTimeout = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan SymbolsTimeout = TimeSpan.FromSeconds(20);

    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(5);

    /// <summary>After a recording could not be begun: the disk may be full, the target short of cores.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    private readonly WatchPlan _plan;
    private readonly ProcFs _proc;
    private readonly KeptCaptures _kept;
    private readonly WatchLog _log;
    private readonly EventPipeSession _session;
    private readonly PoolFollower _follower;
    private readonly Rotation _rotation;
    private readonly Trigger _trigger;
    private readonly long? _start;
    private readonly List<RingRecording> _ring = [];
    private readonly HashSet<string> _warned = [];
    private Task _turning = Task.CompletedTask;
    private Incident? _incident;
    private long _pausedUntil;

    private TargetWatch(WatchPlan plan, ProcFs proc, KeptCaptures kept, WatchLog log, EventPipeSession session)
    {
        (_plan, _proc, _kept, _log, _session) = (plan, proc, kept, log, session);
        _start = proc.StartTicks(plan.Pid);
        _follower = new PoolFollower(session.EventStream, MonotonicClock.NowNs);
        _rotation = new Rotation(plan.Before);
        _trigger = new Trigger(plan.Condition);
    }

    private bool TargetAlive => _proc.IsAlive(_plan.Pid) && _proc.StartTicks(_plan.Pid) == _start;

    /// <exception cref="CommandException">The process refused.</exception>
    public static async Task<TargetWatch> StartAsync(WatchPlan plan, ProcFs proc, KeptCaptures kept, WatchLog log)
    {
        var client = new DiagnosticsClient(plan.Pid);
        try
        {
            Directory.CreateDirectory(kept.SymbolsFolder);

            // Where the incident ends with the process, nobody can ask it for its methods' names any more.
            await new SymbolsRecorder(client, kept.SymbolsFolder, new SizeLimit(long.MaxValue / 4, tables: false)).TakeAsync(SymbolsTimeout).ConfigureAwait(false);
            var session = await EventPipeRecording.OpenAsync(
                client,
                SessionPlan.Watch(plan.Condition.NeedsItems, RuntimeVersion.Major(plan.Runtime) < RuntimeVersion.FirstWithoutStacks),
                SessionTimeout).ConfigureAwait(false);
            return new TargetWatch(plan, proc, kept, log, session);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            throw new CommandException(ExitCode.Unreadable, $"process {plan.Pid} opened no event session: {e.Message}", e);
        }
    }

    /// <summary>Watches until the process ends its events or a signal comes. A capture that was begun is finished.</summary>
    public async Task RunAsync(StopRequest stop)
    {
        var nextShown = 0L;
        while (!stop.Requested.IsCompleted && TargetAlive && !_follower.Ended.IsCompleted)
        {
            var now = MonotonicClock.NowNs;
            var sample = _follower.Sample(now);
            if (_trigger.Look(sample, mayFire: _incident is null && _ring.Count > 0) is { } term)
            {
                Fire(term, now);
            }

            DropEnded();
            Turn(now);
            AdvanceIncident(now);
            if (now >= nextShown)
            {
                Show(sample, now);
                nextShown = now + 1_000_000_000;
            }

            await Task.WhenAny(stop.Requested, Task.Delay(Beat)).ConfigureAwait(false);
        }

        if (_follower.Damage is { } damage && TargetAlive && !stop.Requested.IsCompleted)
        {
            _log.Warn($"the events of process {_plan.Pid} cannot be followed: {damage}", _plan.Pid);
        }

        if (_incident is { } incident)
        {
            incident.Finishing ??= FinishAsync(incident);
            await incident.Finishing.ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _turning.ConfigureAwait(false);
        await Task.WhenAll(_ring.Select(DropAsync)).ConfigureAwait(false);
        using var cancel = new CancellationTokenSource(StopTimeout);
        try
        {
            await _session.StopAsync(cancel.Token).WaitAsync(StopTimeout).ConfigureAwait(false);
            await _follower.Ended.WaitAsync(StopTimeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // The process is gone or hangs; a session whose reader is gone ends by itself.
        }

        _session.Dispose();
        await _follower.Ended.ConfigureAwait(false);
    }

    private void Fire(WatchTerm term, long now)
    {
        // The elder one: it reaches back further.
        var recording = _ring[0];
        _ring.RemoveAt(0);
        var history = Math.Round(recording.Age(now).TotalSeconds, 1);
        _incident = new Incident(recording, now, new Firing(DateTime.UtcNow, _plan.Condition.Text, term.Text, history));
        _log.Event(new EventLine(DateTime.UtcNow, "fired", _plan.Pid, term.Text, history, Message: FormattableString.Invariant($"{term.Text}: fired, with {history:0} s recorded before it; recording goes on for {_plan.After.TotalSeconds:0} s")));
    }

    private void AdvanceIncident(long now)
    {
        if (_incident is not { } incident)
        {
            return;
        }

        if (incident.Finishing is null && (now - incident.FiredNs >= _plan.After.TotalNanoseconds || incident.Recording.Ended.IsCompleted))
        {
            incident.Finishing = FinishAsync(incident);
        }

        if (incident.Finishing is { IsCompleted: true })
        {
            _incident = null;
        }
    }

    private async Task FinishAsync(Incident incident)
    {
        try
        {
            var manifest = await incident.Recording.KeepAsync().ConfigureAwait(false);
            if (manifest.Stop is null)
            {
                _log.Warn($"the capture ended early: {incident.Recording.WriteFailure}", _plan.Pid);
            }

            await _plan.Decode(incident.Recording.Folder).ConfigureAwait(false);
            var capture = _kept.Keep(incident.Recording.Folder, _plan.Name, incident.Firing);
            _log.Event(new EventLine(
                DateTime.UtcNow, "captured", _plan.Pid, incident.Firing.Term, incident.Firing.HistoryS, capture, $"captured in {capture}. Next: poolscope report {capture}"));
            await _plan.Finish(capture).ConfigureAwait(false);
        }
        catch (Exception e) when (e is CommandException or IOException or UnauthorizedAccessException)
        {
            incident.Recording.Discard();
            _log.Event(new EventLine(DateTime.UtcNow, "failed", _plan.Pid, incident.Firing.Term, Message: $"the capture could not be written: {e.Message}"));
        }
    }

    /// <summary>Takes the recordings out of the turn that ended by themselves: they are full, or the disk is.</summary>
    private void DropEnded()
    {
        foreach (var recording in _ring.Where(recording => recording.Ended.IsCompleted && _turning.IsCompleted).Take(1).ToList())
        {
            var full = recording.Ended.Result == StopReason.MaxSize;
            if (full || recording.WriteFailure is not null)
            {
                WarnOnce(full
                    ? FormattableString.Invariant($"a recording of {recording.Age(MonotonicClock.NowNs).TotalSeconds:0} s was full: captures reach back less than --before asks for; a larger --max-size or --kernel none helps")
                    : $"a recording could not be written: {recording.WriteFailure}");
            }

            _pausedUntil = full ? 0 : MonotonicClock.NowNs + (long)Pause.TotalNanoseconds;
            _ring.Remove(recording);
            _turning = DropAsync(recording);
        }
    }

    private void Turn(long now)
    {
        if (!_turning.IsCompleted || now < _pausedUntil)
        {
            return;
        }

        switch (_rotation.Next(_ring.Count > 0 ? _ring[0].Age(now) : null, _ring.Count > 1 ? _ring[1].Age(now) : null, _incident is not null))
        {
            case RotationStep.Begin:
                _turning = BeginAsync();
                break;
            case RotationStep.DropElder:
                var elder = _ring[0];
                _ring.RemoveAt(0);
                _turning = DropAsync(elder);
                break;
        }
    }

    /// <summary>Begins a recording; the loop goes on meanwhile, for it takes some tenths of a second, or seconds.</summary>
    private async Task BeginAsync()
    {
        try
        {
            var recording = await RingRecording.StartAsync(_kept.NextRecording(), _plan.Plan, _proc).ConfigureAwait(false);
            foreach (var refusal in recording.Refused)
            {
                WarnOnce($"without {refusal.Wanted} ({refusal.Stream}): {refusal.Why}. {refusal.How}");
            }

            _ring.Add(recording);
        }
        catch (Exception e) when (e is CommandException or IOException or UnauthorizedAccessException || DiagnosticErrors.IsExpected(e))
        {
            WarnOnce($"no recording could be begun: {e.Message}");
            _pausedUntil = MonotonicClock.NowNs + (long)Pause.TotalNanoseconds;
        }
    }

    private async Task DropAsync(RingRecording recording)
    {
        try
        {
            await recording.DropAsync().ConfigureAwait(false);
        }
        catch (Exception e) when (e is CommandException or IOException or UnauthorizedAccessException || DiagnosticErrors.IsExpected(e))
        {
            WarnOnce($"a recording did not end cleanly: {e.Message}");
        }
    }

    private void WarnOnce(string message)
    {
        lock (_warned)
        {
            if (!_warned.Add(message))
            {
                return;
            }
        }

        _log.Warn(message, _plan.Pid);
    }

    private void Show(in PoolSample sample, long now)
    {
        var state = _incident is null ? "watching" : _incident.Finishing is null ? "recording" : "writing";
        double? history = _ring.Count > 0 ? Math.Round(_ring[0].Age(now).TotalSeconds, 1) : null;
        _log.State(WatchLog.Line(state, _plan.Pid, sample, _trigger.Holds, history, KeptCaptures.SizeOf(_kept.Folder), _kept.Captures.Count));
    }

    private sealed record Incident(RingRecording Recording, long FiredNs, Firing Firing)
    {
        /// <summary>Null: it is still being recorded.</summary>
        public Task? Finishing { get; set; }
    }
}
