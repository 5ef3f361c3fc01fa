using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Recording;

/// <summary>The streams that record at the same time. The runtime stream is the capture. The others are recorded if
/// they are available, and refusals are written down.</summary>
internal sealed class CaptureStreams : IAsyncDisposable
{
    /// <summary>The timeout for opening a session. A process that is not stopped answers within milliseconds; one short
    /// of cores within a second or two.</summary>
    private static readonly TimeSpan StartTimeout = TimeSpan.FromSeconds(10);

    /// <summary>The timeout for ending a session. Buffers of 256 MB take a second or two to flush.</summary>
    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(15);

    private readonly List<Refusal> _refused = [];
    private readonly SizeLimit _size;
    private readonly EventPipeRecording? _runtime;
    private readonly CountersRecorder? _counters;
    private EventPipeRecording? _waits;
    private SnapshotRecorder? _snapshots;
    private IKernelStream? _kernel;
    private long _kernelEndNs;

    private CaptureStreams(SizeLimit size, EventPipeRecording? runtime, IReadOnlyList<string> limits, CountersRecorder? counters) =>
        (_size, _runtime, Limits, _counters) = (size, runtime, limits, counters);

    /// <summary>The limits of the target's runtime: values of <see cref="RuntimeLimit"/>.</summary>
    public IReadOnlyList<string> Limits { get; }

    public IReadOnlyList<Refusal> Refused => _refused;

    public long Bytes => (_runtime?.Bytes ?? 0) + (_waits?.Bytes ?? 0) + (_snapshots?.Bytes ?? 0) + (_counters?.Bytes ?? 0) + (_kernel?.Progress.Bytes ?? 0);

    public KernelProgress? Kernel => _kernel?.Progress;

    /// <summary>Passes the current size of the kernel's stream to the size limit.</summary>
    public void Weigh()
    {
        if (_kernel is { } kernel)
        {
            var progress = kernel.Progress;
            _size.SetKernel(progress.Bytes, TableSize.OfKernel(progress.Bytes, progress.Events, kernel.Tier));
        }
    }

    /// <summary>The cost of polling, in words, after <see cref="StopAsync"/>; null if nothing was polled.</summary>
    public string? PollingCost => _kernel is { PollStep: { } step } kernel && _kernelEndNs > kernel.StartNs
        ? string.Create(
            System.Globalization.CultureInfo.InvariantCulture,
            $"Polling every {step.TotalMilliseconds:0} ms took {kernel.Progress.CpuNs / 1e6 / ((_kernelEndNs - kernel.StartNs) / 1e9):0.0} ms of CPU time per second, {kernel.Progress.CpuNs * 100.0 / (_kernelEndNs - kernel.StartNs):0.00} % of one core.")
        : null;

    /// <summary>Whether there are runtime events. If the target refused them, only the kernel's are recorded.</summary>
    public bool HasRuntime => _runtime is not null;

    /// <summary>Whether the target ended its stream, or the connection broke.</summary>
    public bool RuntimeEnded => _runtime?.Ended.IsCompleted ?? false;

    public bool RuntimeHasEndMark => _runtime?.HasEndMark ?? false;

    /// <summary>The error of a file that could not be written, or null if none failed.</summary>
    public string? WriteFailure => _runtime?.WriteFailure ?? _waits?.WriteFailure ?? _kernel?.Failure;

    /// <summary>The way the recording ended: one of <see cref="CaptureStatus"/>.</summary>
    public string Status => WriteFailure is not null || !(_runtime?.HasEndMark ?? true) || !(_waits?.HasEndMark ?? true) ? CaptureStatus.Cut
        : _runtime is null || _kernel?.Progress.Lost > 0 ? CaptureStatus.Incomplete
        : CaptureStatus.Complete;

    /// <summary>Starts to read the runtime's counters first, because they show the state before the capture.</summary>
    /// <returns>The recorder, or the reason why there is none.</returns>
    public static async Task<(CountersRecorder? Recorder, string? Failure)> StartCountersAsync(RecordingPlan plan, DiagnosticsClient client)
    {
        if (!OpenSsl.IsThere)
        {
            return (null, OpenSsl.Lacking);
        }

        try
        {
            return (await CountersRecorder.StartAsync(client, plan.Folder, StartTimeout).ConfigureAwait(false), null);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            return (null, e.Message);
        }
    }

    /// <param name="counters">The result of <see cref="StartCountersAsync"/>; disposed with these streams, or if they
    /// fail to start.</param>
    /// <exception cref="CommandException">There is no runtime stream, or a required kernel stream was
    /// refused.</exception>
    public static async Task<CaptureStreams> StartAsync(
        RecordingPlan plan, DiagnosticsClient client, SizeLimit size, (CountersRecorder? Recorder, string? Failure) counters)
    {
        CaptureStreams streams;
        try
        {
            var (runtime, stacks) = await RuntimeSession.StartAsync(plan, client, size).ConfigureAwait(false);
            streams = new CaptureStreams(size, runtime, RuntimeVersion.Limits(plan.Runtime, stacks), counters.Recorder);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            return await WithoutRuntimeAsync(plan, size, counters.Recorder, e).ConfigureAwait(false);
        }

        try
        {
            // The kernel's stream opens first: each other session takes a running process some tenths of a second to
            // open, and the work of that time would have no kernel events.
            streams.StartKernel(plan);
            KernelStreams.NoteConnections(plan, plan.Folder, streams._kernel);

            // A running process gets a snapshot at once, which shows the threads that are inside an item as the capture
            // begins.
            if (!plan.Launched)
            {
                streams.StartSnapshots(plan, client);
            }

            if (counters.Failure is { } failure)
            {
                var how = OpenSsl.IsThere ? "Try again: the runtime opens a limited number of sessions at a time (64)" : "Install it";
                streams._refused.Add(new Refusal("counters", "eventpipe", failure, how));
            }

            if (plan.Waits)
            {
                await streams.StartWaitsAsync(plan, client).ConfigureAwait(false);
            }

            if (plan.Launched)
            {
                streams.StartSnapshots(plan, client);
            }

            return streams;
        }
        catch
        {
            await streams.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Takes a last snapshot if the target lives, ends the EventPipe sessions, then the kernel stream, so that
    /// it covers the scheduler to the last event.</summary>
    public async Task StopAsync()
    {
        if (_snapshots is { } snapshots)
        {
            await snapshots.StopAsync(!RuntimeEnded).ConfigureAwait(false);
            if (snapshots.Failure is { } failure)
            {
                _refused.Add(new Refusal("snapshots", "eventpipe", failure, "Record again; code that blocks without an event has no stack from then on"));
            }
        }

        await Task.WhenAll(
            _runtime?.StopAsync(StopTimeout) ?? Task.CompletedTask,
            _waits?.StopAsync(StopTimeout) ?? Task.CompletedTask).ConfigureAwait(false);

        // The runtime ends one session at a time, so this one comes last: nothing in the kernel's stream depends on it.
        var counters = _counters?.StopAsync(StopTimeout) ?? Task.CompletedTask;
        if (_kernel is { } kernel)
        {
            await Task.Run(kernel.Stop).ConfigureAwait(false);
            _kernelEndNs = MonotonicClock.NowNs;
        }

        await counters.ConfigureAwait(false);
    }

    /// <summary>Describes the streams for the manifest, after <see cref="StopAsync"/>.</summary>
    public IEnumerable<StreamInfo> Describe()
    {
        foreach (var stream in new[] { _runtime, _waits }.OfType<EventPipeRecording>())
        {
            yield return new StreamInfo(stream.FileName, "eventpipe", stream.StartNs, stream.EndNs, stream.Bytes);
        }

        if (_counters is { } counters)
        {
            yield return counters.Describe();
        }

        if (_snapshots is { Bytes: > 0 } snapshots)
        {
            yield return snapshots.Describe();
        }

        if (_kernel is { } kernel)
        {
            yield return new StreamInfo(kernel.FileName, kernel.Tier, kernel.StartNs, _kernelEndNs, kernel.Progress.Bytes)
            {
                Scope = kernel.Scope,
                CpuNs = kernel.Progress.CpuNs,
                PollStepNs = kernel.PollStep?.Ticks * TimeSpan.NanosecondsPerTick,
                Lost = kernel.Progress.Lost > 0 ? kernel.Progress.Lost : null,
                StalledNs = kernel.Progress.StalledNs > 0 ? kernel.Progress.StalledNs : null,
            };
        }
    }

    public async ValueTask DisposeAsync()
    {
        _kernel?.Dispose();
        if (_snapshots is { } snapshots)
        {
            await snapshots.DisposeAsync().ConfigureAwait(false);
        }

        if (_counters is { } counters)
        {
            await counters.DisposeAsync().ConfigureAwait(false);
        }

        if (_runtime is { } runtime)
        {
            await runtime.DisposeAsync().ConfigureAwait(false);
        }

        if (_waits is { } waits)
        {
            await waits.DisposeAsync().ConfigureAwait(false);
        }
    }

    private void StartSnapshots(RecordingPlan plan, DiagnosticsClient client) => _snapshots = plan.SnapshotBeat is { } beat
        ? SnapshotRecorder.Start(client, plan.Folder, new SnapshotPace(beat, () => _counters?.Latest), _size, atStart: !plan.Launched)
        : null;

    /// <summary>Records the kernel's stream alone, which is better than nothing. No verdict is made from it.</summary>
    /// <exception cref="CommandException">The process was launched or is gone, or there is no kernel
    /// stream.</exception>
    private static async Task<CaptureStreams> WithoutRuntimeAsync(RecordingPlan plan, SizeLimit size, CountersRecorder? counters, Exception why)
    {
        var refused = DiagnosticErrors.NoSession(plan.Pid, why);
        var streams = new CaptureStreams(size, runtime: null, RuntimeVersion.Limits(plan.Runtime, stacks: false), counters);
        try
        {
            if (!plan.Launched && ProcFs.System.IsAlive(plan.Pid))
            {
                streams._refused.Add(new Refusal(
                    "runtime",
                    "eventpipe",
                    $"the process refused, also after pauses: {why.Message}",
                    "Capture again while it collects less garbage, or launch it with `poolscope collect -- COMMAND`; without it no work item is known"));
                streams.StartKernel(plan);
            }
        }
        catch
        {
            await streams.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        if (streams._kernel is not null)
        {
            return streams;
        }

        await streams.DisposeAsync().ConfigureAwait(false);
        throw refused;
    }

    private async Task StartWaitsAsync(RecordingPlan plan, DiagnosticsClient client)
    {
        try
        {
            _waits = await EventPipeRecording.StartAsync(
                client,
                SessionPlan.Waits(plan.BufferMb, methodLoads: plan.Launched),
                Path.Combine(plan.Folder, SessionPlan.WaitsFile),
                StartTimeout,
                bytes => _size.TryTake(bytes, TableSize.OfStacks)).ConfigureAwait(false);
            if (Limits.Contains(RuntimeLimit.NoWaitHandleEvents))
            {
                _refused.Add(new Refusal("waits", "WaitHandle waits", $"{plan.Runtime} has no such events", "Run the program on .NET 9 or newer; lock contention and snapshots of all stacks are recorded all the same"));
            }
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            _refused.Add(new Refusal("waits", "eventpipe", e.Message, "Try again: the runtime opens a limited number of sessions at a time (64)"));
        }
    }

    private void StartKernel(RecordingPlan plan) => _kernel = KernelStreams.Start(plan, _size.MostOfKernel, _refused);
}
