using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Import;

/// <summary>Counts the kernel's events in a file of one-collect, and finds out whether they show when threads ran.
/// `--perf-events` adds tracepoints as the kernel wrote them; the file describes their fields only up to the first
/// thread name.</summary>
internal sealed class KernelEvents
{
    /// <summary>The provider of the tracepoints.</summary>
    public const string Provider = "sched";

    /// <summary>The provider of CPU samples and off-CPU times.</summary>
    public const string SamplesProvider = "Universal.Events";

    public const string Samples = "cpu";

    private const string OffCpu = "cswitch";

    /// <summary>The events to record, as `--perf-events` takes them.</summary>
    public const string Wanted = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_process_exit";

    /// <summary>The share of switches whose leaving thread must be the thread that the file itself reports.</summary>
    private const double ShareThatAgrees = 0.99;

    private readonly HashSet<int> _leaving = [];
    private long _captureThread = -1;
    private bool _isOfSeveral;
    private long _agreeing;
    private bool _hasOther;

    /// <summary>The number of sched_switch events in the known layout.</summary>
    public long Switches { get; private set; }

    public long Wakeups { get; private set; }

    public long CpuSamples { get; private set; }

    /// <summary>The number of off-CPU times, which one-collect reports with durations but without reasons.</summary>
    public long OffCpuTimes { get; private set; }

    /// <summary>The time of the first tracepoint, ns of the file's clock; -1 if there is none.</summary>
    public long FirstNs { get; private set; } = -1;

    public long LastNs { get; private set; } = -1;

    /// <summary>Takes an event of the kernel.</summary>
    public void Count(EventKind kind, int pid, int tid, long captureThread, long time, ReadOnlySpan<byte> payload)
    {
        if (kind.Provider != Provider)
        {
            CpuSamples += kind.Name == Samples ? 1 : 0;
            OffCpuTimes += kind.Name == OffCpu ? 1 : 0;
            return;
        }

        switch (KernelEvent.Of(kind, payload))
        {
            case KernelEventKind.Switch:
                Switches++;
                _agreeing += KernelEvent.PreviousThread(payload) == tid ? 1 : 0;
                _leaving.Add(pid);
                break;
            case KernelEventKind.Waking or KernelEventKind.Wakeup:
                Wakeups++;
                break;
            case KernelEventKind.Unknown when kind.Name is "sched_switch":
                _hasOther = true;
                break;
        }

        _isOfSeveral |= _captureThread >= 0 && captureThread != _captureThread;
        _captureThread = captureThread;
        (FirstNs, LastNs) = (FirstNs < 0 ? time : Math.Min(FirstNs, time), Math.Max(LastNs, time));
    }

    /// <summary>Why the file does not show when threads ran, as a message; null if it does.</summary>
    public string? Missing =>
        _hasOther ? "this kernel writes sched_switch in a layout that is not known"
        : Switches == 0 && OffCpuTimes > 0 ? "its cswitch events tell how long a thread was off its CPU, and not whether it was blocked or waited for a CPU"
        : Switches == 0 ? "the file holds no event sched_switch"
        : _agreeing < ShareThatAgrees * Switches ? "the fields of sched_switch do not say what the file says of the thread that left"
        : _isOfSeveral ? "the file does not give the order of the kernel's events"
        : _leaving.Count < 2 ? "only the switches of one process were recorded (-p), but the record of a switch to a thread belongs to the thread that it replaces, of any process"
        : null;
}
