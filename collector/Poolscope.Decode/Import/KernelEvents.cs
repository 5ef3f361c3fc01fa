using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Import;

/// <summary>What a file of one-collect holds of the kernel's events, and whether it says when threads ran. `--perf-events` puts
/// tracepoints into it as the kernel wrote them; their fields are described up to the first name of a thread only.</summary>
internal sealed class KernelEvents
{
    /// <summary>Of the tracepoints.</summary>
    public const string Provider = "sched";

    /// <summary>Of samples and of times off a CPU.</summary>
    public const string SamplesProvider = "Universal.Events";

    public const string Samples = "cpu";

    private const string OffCpu = "cswitch";

    /// <summary>What to record, as `--perf-events` takes it.</summary>
    public const string Wanted = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_process_exit";

    /// <summary>Share of the switches whose fields must say what the file says beside them.</summary>
    private const double ShareThatAgrees = 0.99;

    private readonly HashSet<int> _leaving = [];
    private long _captureThread = -1;
    private bool _isOfSeveral;
    private long _agreeing;
    private bool _hasOther;

    /// <summary>sched_switch, as it is read.</summary>
    public long Switches { get; private set; }

    public long Wakeups { get; private set; }

    public long CpuSamples { get; private set; }

    /// <summary>Times that threads were off a CPU, as one-collect shows them: how long, and not why.</summary>
    public long OffCpuTimes { get; private set; }

    /// <summary>First event that is read, ns of the file's clock; -1: none.</summary>
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

    /// <summary>Why the file does not say when threads ran, for a person; null: it does.</summary>
    public string? Missing =>
        _hasOther ? "this kernel writes sched_switch in a layout that is not known"
        : Switches == 0 && OffCpuTimes > 0 ? "its cswitch events tell how long a thread was off its CPU, and not whether it was blocked or waited for a CPU"
        : Switches == 0 ? "the file holds no event sched_switch"
        : _agreeing < ShareThatAgrees * Switches ? "the fields of sched_switch do not say what the file says of the thread that left"
        : _isOfSeveral ? "the file does not give the order of the kernel's events"
        : _leaving.Count < 2 ? "only the switches of one process were recorded (-p), but the record of a switch to a thread belongs to the thread that it replaces, of any process"
        : null;
}
