using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>The comings and goings of the target's own threads, with samples of their own code, which need no privilege:
/// running, preempted and blocked are distinguished, who woke a thread and who else ran is not.</summary>
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
