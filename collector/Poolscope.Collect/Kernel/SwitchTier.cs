using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>Records the context switches of the target's own threads, and samples of their own code, without privilege.
/// It distinguishes running, preempted and blocked, but does not show who woke a thread or who else ran.</summary>
public sealed class SwitchTier : IKernelTier
{
    public string Name => "switch";

    public KernelAccess Probe(int? pid)
    {
        var probe = TargetSwitchAccess.Probe(pid);
        return new KernelAccess(probe.Available, probe.Why, probe.How);
    }

    public IKernelStream Start(KernelRequest request)
    {
        try
        {
            return new PerfStream(Name, scope: null, SchedulerRecording.StartOfTarget(RingSize.Apply(new SchedulerRecordingOptions(request.Folder) { MaxBytes = request.MaxBytes, TargetPid = request.TargetPid })));
        }
        catch (SchedulerRefusedException refused)
        {
            throw new KernelRefusedException(refused.Why, refused.How, refused);
        }
    }
}
