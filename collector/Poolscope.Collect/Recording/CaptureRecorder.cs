using System.Reflection;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Recording;

/// <summary>One recording: its manifest, streams and symbols, and the conditions that end it.</summary>
public sealed class CaptureRecorder : IAsyncDisposable
{
    /// <summary>The time from one check of the limits and the target to the next.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(100);

    /// <summary>The beats between the decision to stop and the last event: the process goes on as before.</summary>
    private const int BeatsToStop = 3;

    private static readonly TimeSpan SymbolsTimeout = TimeSpan.FromSeconds(20);

    /// <summary>The time by which a launched process has compiled its start-up.</summary>
    private static readonly TimeSpan FirstSymbols = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan SymbolsRefresh = TimeSpan.FromMinutes(5);

    /// <summary>The most time between a process's end and the end of its streams, in either order.</summary>
    private static readonly TimeSpan EndSlack = TimeSpan.FromSeconds(2);

    private readonly RecordingPlan _plan;
    private readonly ProcFs _proc;
    private readonly CaptureStreams _streams;
    private readonly SymbolsRecorder _symbols;
    private readonly SizeLimit _size;
    private readonly ThrottleRecorder _throttles;
    private readonly CapacityRecorder _capacity;
    private readonly LostCpuRecorder _lostCpu;
    private readonly ThreadIdRecorder _threadIds;
    private readonly long? _targetStart;
    private readonly long _startNs;
    private CaptureManifest _manifest;
    private string? _folderFailure;

    private CaptureRecorder(RecordingPlan plan, ProcFs proc, CaptureManifest manifest, CaptureStreams streams, SymbolsRecorder symbols, SizeLimit size)
    {
        (_plan, _proc, _manifest, _streams, _symbols, _size) = (plan, proc, manifest, streams, symbols, size);
        _targetStart = proc.StartTicks(plan.Pid);
        _startNs = MonotonicClock.NowNs;
        _throttles = new ThrottleRecorder(proc, plan.Pid, plan.Folder);
        _capacity = new CapacityRecorder(proc, plan.Pid, plan.Folder);
        _lostCpu = new LostCpuRecorder(proc, plan.Folder);
        _threadIds = new ThreadIdRecorder(proc, plan.Pid, plan.Folder);
    }

    /// <summary>This program, as manifests name it.</summary>
    public static ToolInfo Tool { get; } = new(
        "poolscope-collect",
        typeof(CaptureRecorder).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0] ?? "0");

    /// <summary>The parts that the capture lacks, with the reasons.</summary>
    public IReadOnlyList<Refusal> Refused => _streams.Refused;

    /// <summary>The cost of polling the threads, in words, after <see cref="StopAsync"/>; null if nothing was
    /// polled.</summary>
    public string? PollingCost => _streams.PollingCost;

    public TimeSpan Elapsed => TimeSpan.FromTicks((MonotonicClock.NowNs - _startNs) / TimeSpan.NanosecondsPerTick);

    /// <summary>The error of a file that could not be written, or null if none failed.</summary>
    public string? WriteFailure => _folderFailure ?? _streams.WriteFailure;

    public RecordingProgress Progress => new(Elapsed, _streams.Bytes, _streams.Kernel?.Events, _streams.Kernel?.Lost ?? 0);

    private bool TargetAlive => _proc.IsAlive(_plan.Pid) && _proc.StartTicks(_plan.Pid) == _targetStart;

    /// <summary>Opens every stream. A launched process still waits at its start afterwards.</summary>
    /// <exception cref="CommandException">There can be no capture. The caller then discards the folder.</exception>
    public static async Task<CaptureRecorder> StartAsync(RecordingPlan plan, ProcFs proc)
    {
        var client = await DiagnosticClients.OfAsync(proc, plan.Pid).ConfigureAwait(false);
        var size = new SizeLimit(plan.MaxBytes, plan.Tables);
        var symbols = new SymbolsRecorder(client, plan.Runtime, plan.Folder, size);
        var manifest = new CaptureManifest
        {
            Format = CaptureManifest.KnownFormat,
            Tool = Tool with { Pid = Environment.ProcessId },
            Status = CaptureStatus.Recording,
            Clock = MonotonicClock.Read(),
            Host = HostFacts.Read(proc),
            Target = plan.Target ?? TargetFacts.Read(proc, plan.Pid, plan.Launched, plan.Runtime),
            Labels = plan.Labels.Count > 0 ? plan.Labels : null,
        };
        Save(manifest, plan.Folder);

        var counters = await CaptureStreams.StartCountersAsync(plan, client).ConfigureAwait(false);

        // First, and not only at the end: otherwise the method names of a process that crashes meanwhile would be lost.
        if (!plan.Launched)
        {
            await symbols.TakeAsync(SymbolsTimeout).ConfigureAwait(false);

            // Only the counters show items that were queued before, and only if they were read before the window.
            await (counters.Recorder?.FirstTaken() ?? Task.CompletedTask).ConfigureAwait(false);
        }

        // Right before the streams, which show every later change.
        manifest = Known(manifest, plan.Look && !plan.Launched ? await PoolGlance.TakeAsync(plan.Pid).ConfigureAwait(false) : null);
        var streams = await CaptureStreams.StartAsync(plan, client, size, counters).ConfigureAwait(false);
        manifest = manifest with { Target = manifest.Target with { Limits = streams.Limits } };
        try
        {
            Save(manifest, plan.Folder);
        }
        catch
        {
            await streams.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        return new CaptureRecorder(plan, proc, manifest, streams, symbols, size);
    }

    /// <summary>Waits for the first of: the duration, a signal, the size limit, the target's end, a failing
    /// disk.</summary>
    /// <param name="onSecond">Called about once a second.</param>
    /// <returns>One of <see cref="StopReason"/>, or null if a file could not be written.</returns>
    public async Task<string?> WaitForStopAsync(StopRequest stop, Action<RecordingProgress> onSecond)
    {
        var nextShown = TimeSpan.FromSeconds(1);
        var nextSymbols = _plan.Launched ? FirstSymbols : SymbolsRefresh;
        var ended = (TimeSpan?)null;
        var before = 0L;
        while (true)
        {
            await Task.WhenAny(stop.Requested, Task.Delay(Beat)).ConfigureAwait(false);
            var elapsed = Elapsed;
            _throttles.Sample();
            _capacity.Sample(elapsed);
            _lostCpu.Sample(elapsed);
            _threadIds.Sample();
            if (stop.Requested.IsCompleted)
            {
                return StopReason.Signal;
            }

            _folderFailure = FindRemoved();

            if (WriteFailure is not null)
            {
                return null;
            }

            if (_streams.RuntimeEnded || !TargetAlive)
            {
                // The two come some milliseconds apart. Together they distinguish an exit from a kill.
                ended ??= elapsed;
                if (((_streams.RuntimeEnded || !_streams.HasRuntime) && !TargetAlive) || elapsed - ended > EndSlack)
                {
                    return _streams.RuntimeHasEndMark || !_streams.HasRuntime ? StopReason.TargetExit : StopReason.TargetKilled;
                }

                continue;
            }

            if (elapsed >= _plan.Duration)
            {
                return StopReason.Duration;
            }

            _streams.Weigh();
            var taken = _size.Taken;
            if (taken + (BeatsToStop * (taken - before)) >= _size.Most || _size.Refused || _streams.Kernel is { ReachedMaxBytes: true })
            {
                return StopReason.MaxSize;
            }

            before = taken;

            if (elapsed >= nextSymbols)
            {
                // Not awaited: the loop goes on to watch the limits, and stopping waits for the rundown.
                _ = _symbols.TakeAsync(SymbolsTimeout);
                nextSymbols = elapsed + SymbolsRefresh;
            }

            if (elapsed >= nextShown)
            {
                onSecond(Progress);
                nextShown = elapsed + TimeSpan.FromSeconds(1);
            }
        }
    }

    /// <summary>Ends every stream and writes the manifest.</summary>
    /// <param name="reason">The result of <see cref="WaitForStopAsync"/>.</param>
    public async Task<CaptureManifest> StopAsync(string? reason)
    {
        var endNs = MonotonicClock.NowNs;
        _capacity.Dispose();
        _lostCpu.Dispose();

        // The measured time is over. A process whose end ended the recording has no memory left to read.
        var look = _plan.Look && TargetAlive ? PoolGlance.TakeAsync(_plan.Pid) : null;
        await _streams.StopAsync().ConfigureAwait(false);

        // Threads that began while the streams ended have events too.
        _threadIds.Sample();

        // The measured time is over, so the work that this puts on the target falls outside it. Methods compiled since
        // the last rundown get their names. A process that did not end its streams would not answer this either.
        if (TargetAlive && (_streams.RuntimeHasEndMark || _size.Refused))
        {
            await _symbols.TakeAsync(SymbolsTimeout).ConfigureAwait(false);
        }

        if (_folderFailure is { } failure)
        {
            throw new CommandException(ExitCode.Usage, $"{failure}, and what was recorded with it");
        }

        var streams = _streams.Describe().ToList();
        var refused = _streams.Refused.ToList();
        if (_symbols.Taken is [.., var last])
        {
            streams.Add(new StreamInfo(SessionPlan.SymbolsFile, "eventpipe", last.StartNs, last.EndNs, _symbols.Bytes));
        }
        else
        {
            refused.Add(new Refusal(
                "symbols",
                "eventpipe",
                _symbols.Failure ?? "the process ended before a rundown could be taken",
                _plan.Launched ? "Nothing need be done: the waits stream names the methods compiled while it ran" : "Capture again while the process runs normally"));
        }

        _manifest = _manifest with
        {
            Status = _streams.Status,
            Stop = reason,
            Phases = [.. _symbols.Taken.Append(new Phase("recording", _startNs, endNs)).OrderBy(phase => phase.StartNs)],
            Streams = streams,
            Refused = refused,
            LookAtEnd = look is null ? null : await look.ConfigureAwait(false),
        };
        Save(_manifest, _plan.Folder);
        return _manifest;
    }

    /// <summary>Adds the exit code of a launched command that has ended.</summary>
    public void RecordExitCode(int? exitCode)
    {
        _manifest = _manifest with { Target = _manifest.Target with { ExitCode = exitCode } };
        Save(_manifest, _plan.Folder);
    }

    public ValueTask DisposeAsync()
    {
        _throttles.Dispose();
        _capacity.Dispose();
        _lostCpu.Dispose();
        _threadIds.Dispose();
        return _streams.DisposeAsync();
    }

    /// <summary>Returns a description of the part of the capture that was removed. The folder alone proves nothing: if
    /// it is removed while the streams are opened, the next of them makes it again.</summary>
    /// <returns>Null if nothing was removed.</returns>
    private string? FindRemoved() =>
        !Directory.Exists(_plan.Folder) ? "the capture's folder was removed"
        : _streams.HasRuntime && !File.Exists(Path.Combine(_plan.Folder, SessionPlan.RuntimeFile)) ? $"the capture's {SessionPlan.RuntimeFile} was removed"
        : null;

    private static CaptureManifest Known(CaptureManifest manifest, LookInfo? look) => look is null ? manifest : manifest with
    {
        Look = look,
        Target = manifest.Target with
        {
            MinThreads = new KnownValue(look.Minimum, KnownValue.Look),
            MaxThreads = new KnownValue(look.Maximum, KnownValue.Look),
        },
    };

    private static void Save(CaptureManifest manifest, string folder)
    {
        try
        {
            manifest.Save(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(ExitCode.Usage, $"the manifest cannot be written: {e.Message}", e);
        }
    }
}
