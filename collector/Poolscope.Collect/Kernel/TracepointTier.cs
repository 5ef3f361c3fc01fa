using Poolscope.Collect.Processes;
using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>Records the scheduler tracepoints of all CPUs, through perf_event_open.</summary>
public sealed class TracepointTier(ProcFs proc) : IKernelTier
{
    internal const string Tier = "tracepoint";

    /// <summary>The refusal inside a pid namespace. The fields of tracepoints hold thread ids of the outermost
    /// namespace. /proc, the runtime and perf's own records use other ids here.</summary>
    private static readonly KernelAccess InsideNamespace = new(
        false,
        "this is a container, or another pid namespace: the kernel's tracepoints name threads by their ids on the host, and here they have others",
        "Run poolscope-collect on the host, with -p and the pid there, or in a container with the host's pids (docker run --pid=host; Kubernetes: hostPID: true)");

    public string Name => Tier;

    public KernelAccess Probe(int? pid)
    {
        if (proc.InPidNamespace)
        {
            return InsideNamespace;
        }

        var probe = TracepointAccess.Probe();
        return new KernelAccess(probe.Available, probe.Why, probe.How);
    }

    public IKernelStream Start(KernelRequest request)
    {
        if (proc.InPidNamespace)
        {
            throw new KernelRefusedException(InsideNamespace.Why, InsideNamespace.How);
        }

        try
        {
            return new PerfStream(Name, request.OnlyTarget ? "target" : "system", SchedulerRecording.Start(RingSize.Apply(new SchedulerRecordingOptions(request.Folder)
            {
                MaxBytes = request.MaxBytes,
                TargetPid = request.TargetPid,
                OnlyTarget = request.OnlyTarget,
                Sockets = request.Sockets,
                RingBytesPerCpu = RingSize.OfWholeSystem,
            })));
        }
        catch (SchedulerRefusedException refused)
        {
            throw new KernelRefusedException(refused.Why, refused.How, refused);
        }
    }
}
