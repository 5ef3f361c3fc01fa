using Poolscope.PerfEvents.Capture;
using Poolscope.PerfEvents.Capture.Events;

namespace Poolscope.PerfEvents;

/// <param name="Available">True if this process can record the scheduler.</param>
/// <param name="Why">The obstacle, or the attempt that succeeded if there is none.</param>
/// <param name="How">The remedy; empty if there is no obstacle.</param>
public readonly record struct TracepointProbe(bool Available, string Why, string How);

/// <summary>Finds out whether this process may record the switches of another process's threads, by opening the
/// event.</summary>
public static class TargetSwitchAccess
{
    /// <param name="pid">The process; null: this one, which shows what is allowed for processes of the same
    /// user.</param>
    public static TracepointProbe Probe(int? pid)
    {
        if (!OperatingSystem.IsLinux())
        {
            return new TracepointProbe(false, "perf_event_open exists on Linux only", "Use the kernel stream of this system");
        }

        try
        {
            var cpu = OnlineCpus.Read()[0];
            using var probe = new TargetEvent(SchedulerEvents.OwnThreads(sampleFrequencyHz: 1), pid ?? Environment.ProcessId, [cpu]);
            var whose = pid is { } target ? $"process {target}" : "a process of this user";
            return new TracepointProbe(true, $"opened the switches of {whose} on CPU {cpu}", "");
        }
        catch (SchedulerRefusedException refused)
        {
            return new TracepointProbe(false, refused.Why, refused.How);
        }
    }
}

/// <summary>Finds out whether this process may record scheduler tracepoints, by opening one.</summary>
public static class TracepointAccess
{
    /// <summary>Opens and closes sched_switch on one CPU. It changes nothing on the machine: it does not mount
    /// tracefs.</summary>
    public static TracepointProbe Probe()
    {
        if (!OperatingSystem.IsLinux())
        {
            return new TracepointProbe(false, "perf_event_open exists on Linux only", "Use the kernel stream of this system");
        }

        try
        {
            var cpu = OnlineCpus.Read()[0];
            if (Tracefs.TryFind() is { } tracefs)
            {
                using var probe = new OpenEvent(SchedulerEvents.Tracepoint(tracefs, "sched_switch"), [cpu]);
                return new TracepointProbe(true, $"opened sched_switch for all processes on CPU {cpu}", "");
            }

            if (!Tracefs.MayMount())
            {
                return new TracepointProbe(
                    false,
                    "tracefs is not mounted, or may not be read by this user",
                    $"Run as root, or as root: mount -t tracefs tracefs {Tracefs.MountPoint} and make it readable for a group of yours "
                        + $"(mount -o remount,gid=GROUP,mode=750 {Tracefs.MountPoint}) and grant CAP_PERFMON");
            }

            using var dummy = new OpenEvent(SchedulerEvents.Dummy(), [cpu]);
            return new TracepointProbe(true, $"opened a system-wide event on CPU {cpu}; tracefs is not mounted yet and will be", "");
        }
        catch (SchedulerRefusedException refused)
        {
            return new TracepointProbe(false, refused.Why, refused.How);
        }
    }
}
