using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>Scheduler tracepoints of all CPUs, through perf_event_open.</summary>
public sealed class TracepointTier : IKernelTier
{
    public string Name => "tracepoint";

    public KernelAccess Probe(int? pid)
    {
        var probe = TracepointAccess.Probe();
        return new KernelAccess(probe.Available, probe.Why, probe.How);
    }

    public IKernelStream Start(KernelRequest request)
    {
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
