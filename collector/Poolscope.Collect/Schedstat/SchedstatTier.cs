using System.Globalization;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Schedstat;

/// <summary>Polls the target's threads in /proc, which needs neither privilege nor perf_event_open. The time on a core
/// and in the run queue is exact, but known only as a sum over each polling step.</summary>
public sealed class SchedstatTier(ProcFs proc) : IKernelTier
{
    public string Name => "schedstat";

    public KernelAccess Probe(int? pid)
    {
        var path = pid is { } target
            ? string.Create(CultureInfo.InvariantCulture, $"/proc/{target}/task/{target}/schedstat")
            : "/proc/thread-self/schedstat";
        if (proc.ReadText(path) is not { } text)
        {
            return new KernelAccess(
                false,
                $"{path} cannot be read",
                "Be the same user or root (/proc may be mounted with hidepid), on a kernel with CONFIG_SCHED_INFO; some sandboxes, such as gVisor, have no such file");
        }

        return ThreadCounters.TryParse(System.Text.Encoding.ASCII.GetBytes(text), out var counters) && counters.Slices > 0
            ? new KernelAccess(true, "thread counters in /proc: time on a core and in the run queue per polling step, own threads only", "")
            : new KernelAccess(false, $"{path} counts nothing", "Use a kernel with CONFIG_SCHED_INFO (CONFIG_SCHEDSTATS, or CONFIG_TASK_DELAY_ACCT and the boot option delayacct)");
    }

    public IKernelStream Start(KernelRequest request)
    {
        var access = Probe(request.TargetPid);
        return access.Available ? new SchedstatRecording(proc, request) : throw new KernelRefusedException(access.Why, access.How);
    }
}
