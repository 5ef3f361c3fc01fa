using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Recording;
using Poolscope.Decode.Live;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Segments;

namespace Poolscope.Collect.Flight;

/// <summary>The EventPipe sessions of a flight recorder, one of each kind. The conditions read the very stream that is
/// recorded.</summary>
internal sealed class FlightStreams : IAsyncDisposable
{
    private static readonly TimeSpan SessionTimeout = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(5);

    private readonly EventPipeSession _session;
    private EventPipeSession? _waitsSession;
    private NettraceTapeReader? _waitsReader;
    private SnapshotRecorder? _snapshots;

    private FlightStreams(EventPipeSession session, bool stacks, string slot, string folder)
    {
        (_session, HasStacks) = (session, stacks);
        Tape = new NettraceTape(Path.Combine(slot, RecorderSlot.RuntimeFile));
        Snapshots = new SnapshotRing(folder);
        Follower = new PoolFollower(session.EventStream, MonotonicClock.NowNs, Tape, Counters.Add);
    }

    /// <summary>The runtime's events, including its counters.</summary>
    public NettraceTape Tape { get; }

    /// <summary>Follows the pool through these events.</summary>
    public PoolFollower Follower { get; }

    /// <summary>The waits with their stacks, or null if they are unavailable.</summary>
    public NettraceTape? WaitsTape { get; private set; }

    public CounterRing Counters { get; } = new();

    public SnapshotRing Snapshots { get; }

    /// <summary>Whether the runtime's events have stacks, because it cannot leave them out.</summary>
    public bool HasStacks { get; }

    public List<Refusal> Refused { get; } = [];

    /// <summary>Whether the runtime itself ended its streams.</summary>
    public bool HasEndMark => Follower.HasEndMark && (_waitsReader?.HasEndMark ?? true);

    /// <summary>Completes when the waits have ended.</summary>
    public Task WaitsEnded => _waitsReader?.Ended ?? Task.CompletedTask;

    /// <summary>The reason why a segment can no longer be written, or null if all can.</summary>
    public string? WriteFailure => Tape.WriteFailure ?? WaitsTape?.WriteFailure;

    /// <summary>Opens the runtime's session, and nothing else yet.</summary>
    /// <param name="slot">The folder of the first slot.</param>
    /// <exception cref="Exception">The process refused (<see cref="DiagnosticErrors"/>).</exception>
    public static async Task<FlightStreams> StartAsync(RecordingPlan plan, DiagnosticsClient client, string slot)
    {
        Task<EventPipeSession> Open(bool stacks) => EventPipeRecording.OpenAsync(
            client, SessionPlan.Runtime(plan.BufferMb, stacks, plan.Requests, plan.Activities, CountersRecorder.Beat), SessionTimeout);

        if (RuntimeVersion.Major(plan.Runtime) < RuntimeVersion.FirstWithoutStacks)
        {
            return new FlightStreams(await Open(stacks: true).ConfigureAwait(false), stacks: true, slot, plan.Folder);
        }

        try
        {
            return new FlightStreams(await Open(stacks: false).ConfigureAwait(false), stacks: false, slot, plan.Folder);
        }
        catch (UnsupportedCommandException)
        {
            return new FlightStreams(await Open(stacks: true).ConfigureAwait(false), stacks: true, slot, plan.Folder);
        }
    }

    /// <summary>Opens the other streams. Those that are unavailable are added to the refusals.</summary>
    public async Task AddOthersAsync(RecordingPlan plan, DiagnosticsClient client, string slot)
    {
        if (plan.SnapshotBeat is { } beat)
        {
            var pace = new SnapshotPace(beat, () => Counters.Latest);
            _snapshots = SnapshotRecorder.Start(client, plan.Folder, pace, new SizeLimit(long.MaxValue / 4, tables: false), atStart: true, Snapshots);
        }

        if (!plan.Waits)
        {
            return;
        }

        try
        {
            _waitsSession = await EventPipeRecording.OpenAsync(client, SessionPlan.Waits(plan.BufferMb, methodLoads: false), SessionTimeout).ConfigureAwait(false);
            WaitsTape = new NettraceTape(Path.Combine(slot, RecorderSlot.WaitsFile));
            _waitsReader = new NettraceTapeReader(_waitsSession.EventStream, WaitsTape);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            Refused.Add(new Refusal("waits", "eventpipe", e.Message, "Try again: the runtime opens a limited number of sessions at a time (64)"));
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_snapshots is { } snapshots)
        {
            await snapshots.DisposeAsync().ConfigureAwait(false);
        }

        await Task.WhenAll(
            StopAsync(_session, Follower.Ended),
            _waitsSession is null ? Task.CompletedTask : StopAsync(_waitsSession, WaitsEnded)).ConfigureAwait(false);
        Tape.Dispose();
        WaitsTape?.Dispose();
        Snapshots.Dispose();
    }

    private static async Task StopAsync(EventPipeSession session, Task ended)
    {
        using var cancel = new CancellationTokenSource(StopTimeout);
        try
        {
            await session.StopAsync(cancel.Token).WaitAsync(StopTimeout).ConfigureAwait(false);
            await ended.WaitAsync(StopTimeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // The process is gone or hangs. A session whose reader is gone ends by itself.
        }

        session.Dispose();
        await ended.ConfigureAwait(false);
    }
}
