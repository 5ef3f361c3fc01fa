using System.Diagnostics;
using System.Numerics;
using Poolscope.PerfEvents.Capture;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Rings;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents;

/// <summary>A running recording of the Linux scheduler. It writes switches, wake-ups, thread ends and CPU samples of
/// all processes on all CPUs, on CLOCK_MONOTONIC, to a perf.data file.</summary>
public sealed partial class SchedulerRecording : IDisposable
{
    /// <summary>Name of the data file, which perf can open too.</summary>
    public const string DataFileName = SchedulerFiles.Data;

    /// <summary>Name of the file that makes the data file readable if it was never completed.</summary>
    public const string MetaFileName = SchedulerFiles.Meta;

    private const int SmallestRingBytes = 64 << 10;

    // Rings are memory that cannot be swapped out. On many CPUs, rings of the usual size would take too much of it.
    private const long MostBytesOfAllRings = 256 << 20;

    private readonly Lock _stopLock = new();
    private readonly IReadOnlyList<IOpenEvent> _events;
    private readonly IReadOnlyList<RingBuffer> _rings;
    private readonly IReadOnlyList<RecordedEvent> _recorded;
    private readonly byte[]? _tracingData;
    private readonly int? _mappingsOf;
    private readonly int? _onlyPid;
    private PerfDataWriter _writer;
    private readonly RingDrain _drain;
    private readonly (DateTime Utc, long Monotonic) _start;
    private SchedulerRecordingProgress? _final;
    private string? _failure;

    /// <param name="tracefs">Null if no event is a tracepoint. Then only the target is described.</param>
    private SchedulerRecording(SchedulerRecordingOptions options, Tracefs? tracefs, IOpenEvent[] events, RingBuffer[] rings, int ringBytes)
    {
        (_events, _rings) = (events, rings);
        _recorded = [.. events.Select(e => e.ToRecordedEvent())];
        _tracingData = tracefs is null ? null : TracingData.Build(
            tracefs.HeaderPage(),
            tracefs.HeaderEvent(),
            _recorded.Where(e => e.Format is not null).Select(e => (e.Name.Split(':')[0], e.Format!)));
        _mappingsOf = options.TargetPid;
        _onlyPid = tracefs is null || options.OnlyTarget ? options.TargetPid : null;
        _writer = new PerfDataWriter(Path.Combine(options.Folder, DataFileName), _recorded);
        try
        {
            var filter = options.OnlyTarget ? new TargetFilter(options.TargetPid!.Value, _recorded) : null;
            _meta = SchedulerMeta.Of(_writer.DataOffset, _recorded) with { OnlyPid = filter?.Pid };
            _meta.Save(Path.Combine(options.Folder, MetaFileName));
            var wide = _recorded.Any(e => (e.Attr.Flags & AttrFlags.ContextSwitch) != 0 && tracefs is not null);
            _drain = new RingDrain(rings, events, _writer, options.MaxBytes, ringBytes, wide ? new EventTable(_recorded) : null, filter);

            // Births and names first: from here on, the kernel reports changes to the threads described next.
            events[0].Enable();
            var existing = new RecordBuilder(_recorded[0].Ids[0]);
            ExistingThreads.Describe(existing, _mappingsOf, _onlyPid);
            AddThreads(filter, existing);
            _writer.Append(existing.Records);
            _segmentPath = Path.Combine(options.Folder, DataFileName);
            _segmentFrom = _writer.Position; // JoinAsync writes the existing threads again
            _existing = existing.Records.ToArray();

            _drain.Start();
            foreach (var open in events.Skip(1))
            {
                open.Enable();
            }

            _start = (DateTime.UtcNow, Stopwatch.GetTimestamp());
            _segmentStartNs = _start.Monotonic;
        }
        catch
        {
            _writer.Dispose();
            throw;
        }
    }

    /// <summary>CLOCK_MONOTONIC ns from which on all events on all CPUs are recorded.</summary>
    public long StartNs => _start.Monotonic;

    /// <summary>CPUs whose idle task fired no tracepoint in the probe. If there are any, the recording also has the
    /// perf core's own switch records, from which <see cref="PerfDataReader"/> completes the switches; perf sched does
    /// not.</summary>
    public IReadOnlyList<int> SilentCpus { get; private init; } = [];

    /// <summary>Why the recording has no socket events although <see cref="SchedulerRecordingOptions.Sockets"/>
    /// requested them; null: it has them, or they were not requested.</summary>
    public string? SocketsRefused { get; private init; }

    /// <summary>The progress of the recording, refreshed about ten times a second. Cheap to read.</summary>
    public SchedulerRecordingProgress Progress => _drain.Progress;

    /// <summary>Why the recording ended by itself before <see cref="Stop"/>, such as a full disk; null: it did not.
    /// Reaching the size limit is not a failure.</summary>
    public string? Failure => _failure ?? _drain.Failure?.Message;

    /// <summary>Opens the events, describes the existing threads, and begins to record. Takes tens of
    /// milliseconds.</summary>
    /// <exception cref="SchedulerRefusedException">The kernel does not let this process record. No file was
    /// made.</exception>
    /// <exception cref="IOException">The folder is missing or cannot be written.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its documented range.</exception>
    public static SchedulerRecording Start(SchedulerRecordingOptions options)
    {
        Check(options);
        var tracefs = Tracefs.Open();
        var cpus = OnlineCpus.Read();
        var events = new List<OpenEvent>();
        var rings = new List<RingBuffer>();
        try
        {
            foreach (var request in SchedulerEvents.All(tracefs, options.SampleFrequencyHz))
            {
                events.Add(new OpenEvent(request, cpus));
            }

            var silent = IdleProbe.SilentCpus(tracefs, cpus);
            if (options.SilentTasks == SilentTaskEvents.Always || (options.SilentTasks == SilentTaskEvents.WhereNeeded && silent.Count > 0))
            {
                events.AddRange(SchedulerEvents.ForSilentTasks(tracefs).Select(request => new OpenEvent(request, cpus)));
            }

            var socketsRefused = options.Sockets ? AddSockets(tracefs, cpus, events) : null;
            var ringBytes = FittingRings.Map(cpu => events[0].Fd(cpu)!.Value, cpus, RingBytes(options, cpus.Length), rings);
            foreach (var ring in rings)
            {
                foreach (var open in events.Skip(1))
                {
                    ring.Adopt(open);
                }
            }

            return new SchedulerRecording(options, tracefs, [.. events], [.. rings], ringBytes) { SilentCpus = silent, SocketsRefused = socketsRefused };
        }
        catch
        {
            rings.ForEach(r => r.Dispose());
            events.ForEach(e => e.Dispose());
            throw;
        }
    }

    /// <summary>Records only the switches of the threads of <see cref="SchedulerRecordingOptions.TargetPid"/>,
    /// including threads that it creates later. CPU samples cover their own code, not the kernel's on their behalf. It
    /// needs no privilege for a process of the same user. It does not record who wakes the threads and who else runs.
    /// Rings are smaller than requested if the user may not lock that much memory.</summary>
    /// <exception cref="SchedulerRefusedException">The kernel does not let this process record. No file was
    /// made.</exception>
    /// <exception cref="IOException">The folder is missing or cannot be written.</exception>
    /// <exception cref="ArgumentException">There is no target, or an option is outside its documented
    /// range.</exception>
    public static SchedulerRecording StartOfTarget(SchedulerRecordingOptions options)
    {
        Check(options);
        var pid = options.TargetPid ?? throw new ArgumentException("TargetPid says whose threads.", nameof(options));
        var cpus = OnlineCpus.Read();
        var target = new TargetEvent(SchedulerEvents.OwnThreads(options.SampleFrequencyHz), pid, cpus);
        var rings = new List<RingBuffer>();
        try
        {
            var ringBytes = FittingRings.Map(target.OwnerFd, cpus, RingBytes(options, cpus.Length), rings);
            target.OpenOthers(pid, rings);
            return new SchedulerRecording(options, tracefs: null, [target], [.. rings], ringBytes);
        }
        catch
        {
            rings.ForEach(r => r.Dispose());
            target.Dispose();
            throw;
        }
    }

    /// <summary>Disables the events, writes the records left in the rings and completes the file. Further calls return
    /// the same figures.</summary>
    public SchedulerRecordingProgress Stop()
    {
        lock (_stopLock)
        {
            return _final ??= StopOnce();
        }
    }

    public void Dispose() => Stop();

    private SchedulerRecordingProgress StopOnce()
    {
        _drain.Stop();
        try
        {
            _writer.Complete(HostFeatures.Describe(_recorded, _tracingData, _rings.Count, _start, _drain.EndNs));
        }
        catch (IOException failure)
        {
            _failure = failure.Message; // the file still decodes through sched.meta.json
        }

        _drain.Completed(_writer.Position);
        _writer.Dispose();
        _drain.Dispose();
        foreach (var ring in _rings)
        {
            ring.Dispose();
        }

        // The kernel takes 20 ms or more to close a disabled event, and nothing depends on it.
        new Thread(CloseEvents) { IsBackground = true, Name = "poolscope-close" }.Start();
        return _drain.Progress;
    }

    private void CloseEvents()
    {
        foreach (var open in _events)
        {
            open.Dispose();
        }
    }

    /// <summary>Adds the socket events. A recording works without them.</summary>
    /// <returns>Why there are none; null: they were added.</returns>
    private static string? AddSockets(Tracefs tracefs, int[] cpus, List<OpenEvent> events)
    {
        try
        {
            events.AddRange(SocketEvents.Open(tracefs, cpus));
            return null;
        }
        catch (SchedulerRefusedException refused)
        {
            return refused.Why;
        }
    }

    /// <summary>Adds the threads that exist once births are reported, so none is missed. A thread reported twice counts
    /// once.</summary>
    private static void AddThreads(TargetFilter? filter, RecordBuilder existing)
    {
        if (filter is not null)
        {
            foreach (var tid in ProcessThreads.Of(filter.Pid))
            {
                filter.Add(tid);
            }

            // Compiles the filter now. Compiling it later would let the rings fill up.
            var described = new RingContent(existing.Records, default);
            filter.Learn(described);
            _ = filter.Choose(described, []);
        }
    }

    private static void Check(SchedulerRecordingOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options is { OnlyTarget: true, TargetPid: null })
        {
            throw new ArgumentException("OnlyTarget needs a TargetPid.", nameof(options));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxBytes, 1 << 20);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.SampleFrequencyHz, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.SampleFrequencyHz, 10_000);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.RingBytesPerCpu, Environment.SystemPageSize);
        if (!BitOperations.IsPow2(options.RingBytesPerCpu))
        {
            throw new ArgumentOutOfRangeException(nameof(options), "RingBytesPerCpu must be a power of two.");
        }

        if (!OperatingSystem.IsLinux())
        {
            throw new SchedulerRefusedException("perf_event_open exists on Linux only", "Use the kernel stream of this system");
        }
    }

    /// <summary>Returns the requested size, halved until all rings together fit their limit. The limit is at most a
    /// quarter of the file's size limit, because the last records in the rings must still go into the file.</summary>
    private static int RingBytes(SchedulerRecordingOptions options, int cpus)
    {
        var bytes = options.RingBytesPerCpu;
        while (bytes > SmallestRingBytes && (long)bytes * cpus > Math.Min(MostBytesOfAllRings, options.MaxBytes / 4))
        {
            bytes /= 2;
        }

        return bytes;
    }
}
