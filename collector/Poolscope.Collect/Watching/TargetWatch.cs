using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Flight;
using Poolscope.Collect.Kept;
using Poolscope.Collect.Live;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Watching;

/// <summary>The plan for watching one process.</summary>
/// <param name="Name">The name of the target, for its captures.</param>
/// <param name="Recording">The plan of the flight recorder. Its folder gets the snapshots.</param>
/// <param name="Decode">Makes a capture's tables, and returns whether it has them; never throws.</param>
/// <param name="Finish">Processes a capture that is in its place; never throws.</param>
internal sealed record WatchPlan(
    int Pid,
    string Name,
    WatchCondition Condition,
    TimeSpan Before,
    TimeSpan After,
    RecordingPlan Recording,
    Func<string, Task<bool>> Decode,
    Func<string, Task> Finish);

/// <summary>Watches one process to its end with a flight recorder, whose last slots become a capture when the condition
/// fires.</summary>
internal sealed partial class TargetWatch : IAsyncDisposable
{
    /// <summary>The time from one check to the next.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(100);

    private static readonly TimeSpan SymbolsTimeout = TimeSpan.FromSeconds(20);

    /// <summary>The most time between a process's end and the end of its events.</summary>
    private static readonly TimeSpan EndSlack = TimeSpan.FromSeconds(2);

    /// <summary>The pause after the recorder could not write: the disk may be full.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    private const long ReadingsBeatNs = 500_000_000;

    /// <summary>The most different warnings: a watcher lives for weeks.</summary>
    private const int MostWarnings = 100;

    private readonly WatchPlan _plan;
    private readonly ProcFs _proc;
    private readonly KeptCaptures _kept;
    private readonly WatchLog _log;
    private readonly FlightRecorder _recorder;
    private readonly CaptureAssembly _assembly;
    private readonly SlotLimits _limits;
    private readonly Trigger _trigger;
    private readonly ReadyReadings? _ready;
    private readonly TargetReadings _readings;
    private readonly long? _start;
    private readonly HashSet<string> _warned = [];
    private Task _turning = Task.CompletedTask;
    private Incident? _incident;
    private long _pausedUntil;
    private long _readAt;
    private long _oldestNs;
    private long _longestNs;

    private TargetWatch(WatchPlan plan, ProcFs proc, KeptCaptures kept, WatchLog log, FlightRecorder recorder, CaptureAssembly assembly)
    {
        (_plan, _proc, _kept, _log, _recorder, _assembly) = (plan, proc, kept, log, recorder, assembly);
        _readings = new TargetReadings(proc, plan.Pid, plan.Name, plan.Recording.Runtime, followed: true);
        _start = proc.StartTicks(plan.Pid);
        _limits = SlotLimits.Of(plan.Before, plan.Condition.Lead, plan.Recording.MaxBytes);
        _trigger = new Trigger(plan.Condition);
        _ready = plan.Condition.NeedsReady ? new ReadyReadings(proc, plan.Pid) : null;
        _oldestNs = recorder.Current.BeganNs;
        foreach (var refusal in recorder.Refused)
        {
            WarnOnce(CommandName.InOwnWords($"without {refusal.Wanted} ({refusal.Stream}): {refusal.Why}. {refusal.How}"));
        }
    }

    private bool TargetAlive => _proc.IsAlive(_plan.Pid) && _proc.StartTicks(_plan.Pid) == _start;

    /// <exception cref="CommandException">The process refused, or the folder cannot be written.</exception>
    public static async Task<TargetWatch> StartAsync(WatchPlan plan, ProcFs proc, KeptCaptures kept, WatchLog log)
    {
        try
        {
            var client = await DiagnosticClients.OfAsync(proc, plan.Pid).ConfigureAwait(false);
            PrivateFiles.CreateFolder(kept.SymbolsFolder);
            File.Delete(Path.Combine(kept.SymbolsFolder, SessionPlan.SymbolsFile)); // of the previous process

            // If the incident ends with the process, the process can no longer report the names of its methods.
            await new SymbolsRecorder(client, plan.Recording.Runtime, kept.SymbolsFolder, new SizeLimit(long.MaxValue / 4, tables: false)).TakeAsync(SymbolsTimeout).ConfigureAwait(false);
            var target = TargetFacts.Read(proc, plan.Pid, launched: false, plan.Recording.Runtime);
            var recorder = await FlightRecorder.StartAsync(plan.Recording, client, proc, kept.NextRecording).ConfigureAwait(false);
            var template = new CaptureManifest
            {
                Format = CaptureManifest.KnownFormat,
                Tool = CaptureRecorder.Tool with { Pid = Environment.ProcessId },
                Status = CaptureStatus.Recording,
                Clock = MonotonicClock.Read(),
                Host = HostFacts.Read(proc),
                Labels = plan.Recording.Labels.Count > 0 ? plan.Recording.Labels : null,
                Target = target with { Limits = RuntimeVersion.Limits(plan.Recording.Runtime, recorder.Streams.HasStacks) },
            };
            var assembly = new CaptureAssembly(recorder, template, proc, client, Path.Combine(kept.SymbolsFolder, SessionPlan.SymbolsFile));
            return new TargetWatch(plan, proc, kept, log, recorder, assembly);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            throw DiagnosticErrors.NoSession(plan.Pid, e);
        }
    }

    /// <summary>Watches until the process ends its events or a signal comes, and finishes a capture.</summary>
    public async Task RunAsync(StopRequest stop)
    {
        var nextShown = 0L;
        var follower = _recorder.Streams.Follower;
        while (!stop.Requested.IsCompleted && TargetAlive && !follower.Ended.IsCompleted)
        {
            var now = MonotonicClock.NowNs;
            var sample = follower.Sample(now) with { ReadyNs = _ready?.Latest(now) ?? -1 };
            _longestNs = Math.Max(_longestNs, sample.BegunWaitNs);
            if (_trigger.Look(sample, mayFire: _incident is null && _recorder.WriteFailure is null) is { } term)
            {
                Fire(term, now);
            }

            Record(now);
            if (now >= nextShown)
            {
                Show(sample, now);
                nextShown = now + 1_000_000_000;
            }

            await Task.WhenAny(stop.Requested, Task.Delay(Beat)).ConfigureAwait(false);
        }

        if (follower.Damage is { } damage && TargetAlive && !stop.Requested.IsCompleted)
        {
            _log.Warn($"the events of process {_plan.Pid} cannot be followed: {damage}", _plan.Pid);
        }

        if (_incident is { } incident)
        {
            await EndIncidentAsync(incident).ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _turning.ConfigureAwait(false);
        await _recorder.DisposeAsync().ConfigureAwait(false);
    }

    private void Fire(WatchTerm term, long now)
    {
        var history = Math.Round((now - _oldestNs) / 1e9, 1);
        _incident = new Incident(now, new Firing(DateTime.UtcNow, _plan.Condition.Text, term.Text, history))
        {
            Look = _plan.Recording.Look ? PoolGlance.TakeAsync(_plan.Pid) : Task.FromResult<LookInfo?>(null),
        };
        _log.Event(new EventLine(DateTime.UtcNow, EventLine.Fired, _plan.Pid, term.Text, history, Message: FormattableString.Invariant($"{term.Text}: fired, with {history:0} s recorded before it; recording goes on for {_plan.After.TotalSeconds:0} s")));
    }

    /// <summary>Does due work: takes readings, begins a slot, ends an incident, deletes old slots.</summary>
    private void Record(long now)
    {
        _recorder.Tick();
        if (now - _readAt >= ReadingsBeatNs)
        {
            _readAt = now;
            _recorder.Current.Sample();
        }

        if (_incident is { Writing.IsCompleted: true })
        {
            _incident = null;
        }

        if (!_turning.IsCompleted || now < _pausedUntil)
        {
            return; // the slots are being changed
        }

        if (_recorder.WriteFailure is { } failure)
        {
            BeginAnew(failure);
            return;
        }

        Trim(now);
        var total = CostOfEnded() + _recorder.CostOfCurrent;
        if (_incident is { Writing: null } incident)
        {
            if (incident.Cut)
            {
                incident.Writing = WriteAsync(incident, [.. _recorder.Ended], incident.Stop);
            }
            else if (now - incident.FiredNs >= _plan.After.TotalNanoseconds || total >= _limits.MostBytes)
            {
                (incident.Cut, incident.Stop) = (true, total >= _limits.MostBytes ? StopReason.MaxSize : StopReason.Duration);
                _turning = TurnAsync(last: true);
                return;
            }
        }

        if (_limits.IsDue(now - _recorder.Current.BeganNs, _recorder.CostOfCurrent))
        {
            _turning = TurnAsync();
        }
    }

    private void Trim(long now)
    {
        var held = _incident is { Copied: false };
        while (!held && _recorder.Ended.Count > 0)
        {
            var second = _recorder.Ended.Count > 1 ? _recorder.Ended[1].StartNs : _recorder.Current.BeganNs;
            var full = CostOfEnded() + _recorder.CostOfCurrent >= _limits.MostBytes;
            if (!full && !_limits.MayGo(now, second))
            {
                break;
            }

            if (full)
            {
                WarnOnce(FormattableString.Invariant($"{(now - _recorder.Ended[0].StartNs) / 1e9:0} s take all the room there is: captures reach back less than --before asks for; a larger --max-size or --kernel none helps"));
            }

            _recorder.DropOldest();
        }

        _oldestNs = _recorder.Ended.Count > 0 ? _recorder.Ended[0].StartNs : _recorder.Current.BeganNs;
    }

    private long CostOfEnded() => _recorder.Ended.Sum(slot => FlightRecorder.CostOf(slot, _recorder.Kernel?.Tier ?? ""));

    /// <param name="last">Whether the incident's capture ends with the slot.</param>
    private async Task TurnAsync(bool last = false)
    {
        try
        {
            _ = await _recorder.RotateAsync(last).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            WarnOnce($"no segment could be begun: {e.Message}");
            _pausedUntil = MonotonicClock.NowNs + (long)Pause.TotalNanoseconds;
        }
    }

    private void BeginAnew(string failure)
    {
        WarnOnce($"recording stopped: {failure}; the watcher discards this recording");
        if (_incident is { Writing: null } incident)
        {
            _log.Event(new EventLine(DateTime.UtcNow, EventLine.Failed, _plan.Pid, incident.Firing.Term, Message: $"the capture could not be written: {failure}"));
            _incident = null;
        }

        if (_incident is null)
        {
            _turning = BeginAnewAsync();
        }
    }

    private async Task BeginAnewAsync()
    {
        try
        {
            await _recorder.StartAnewAsync().ConfigureAwait(false);
            _pausedUntil = _recorder.WriteFailure is null ? 0 : MonotonicClock.NowNs + (long)Pause.TotalNanoseconds;
        }
        catch (Exception e) when (e is CommandException or IOException or UnauthorizedAccessException)
        {
            WarnOnce($"recording cannot be begun again yet: {e.Message}");
            _pausedUntil = MonotonicClock.NowNs + (long)Pause.TotalNanoseconds;
        }
    }

    private void WarnOnce(string message)
    {
        lock (_warned)
        {
            if (_warned.Count >= MostWarnings || !_warned.Add(message))
            {
                return;
            }
        }

        _log.Warn(message, _plan.Pid);
    }
}
