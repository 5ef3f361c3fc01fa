using System.Globalization;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Commands.Doctor;

/// <summary>The conditions under which the kernel allows perf_event_open, one row each. The rows explain why a kernel
/// tier is refused. They are not needed: the tier's own row shows whether it is available.</summary>
internal static class KernelConditions
{
    private const int CapSysAdmin = 21;
    private const int CapPerfmon = 38;
    private const int SeccompFilter = 2;

    /// <summary>At this level or below, users may watch their own processes (tier switch).</summary>
    private const int ParanoidForOwn = 2;

    /// <summary>At this level or below, users may watch all processes.</summary>
    private const int ParanoidForAll = -1;

    /// <param name="proc">The file system in which this process is /proc/self.</param>
    /// <param name="tiers">The results of opening the events of each kernel tier.</param>
    public static IEnumerable<StreamCheck> Check(ProcFs proc, IReadOnlyList<KernelAccess> tiers)
    {
        var status = proc.ReadText("/proc/self/status");
        var privileged = Has(status, CapPerfmon) || Has(status, CapSysAdmin);
        yield return Capability(status, privileged);
        yield return Paranoid(proc.ReadText("/proc/sys/kernel/perf_event_paranoid"), privileged);
        yield return Tracefs(proc, mayMount: Has(status, CapSysAdmin));
        yield return Seccomp(status, tiers);
    }

    private static StreamCheck Capability(string? status, bool privileged) => Row(
        "CAP_PERFMON",
        privileged,
        privileged ? "this process has it, or CAP_SYS_ADMIN" : $"not among this process's capabilities (CapEff {ProcFs.Field(status, "CapEff") ?? "unknown"})",
        "Run as root, or: sudo setpriv --reuid=$(id -u) --regid=$(id -g) --init-groups --inh-caps=+perfmon --ambient-caps=+perfmon poolscope ... "
            + "In a container: docker run --cap-add PERFMON; Kubernetes: securityContext.capabilities.add: [PERFMON]");

    private static StreamCheck Paranoid(string? text, bool privileged)
    {
        const string name = "perf_event_paranoid";
        if (!int.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture, out var level))
        {
            return Row(name, false, "the kernel has no perf events (no kernel.perf_event_paranoid)", "Use a kernel with CONFIG_PERF_EVENTS");
        }

        var why = $"kernel.perf_event_paranoid = {level}";
        if (privileged || level <= ParanoidForAll)
        {
            return Row(name, true, privileged ? why + ", which does not bind this process" : why, "");
        }

        return Row(
            name,
            false,
            level <= ParanoidForOwn ? why + ": this user may watch their own processes (tier switch), not all" : why + ": this user may watch nothing",
            $"For all processes: sudo sysctl kernel.perf_event_paranoid={ParanoidForAll}"
                + (level > ParanoidForOwn ? $". For tier switch: sudo sysctl kernel.perf_event_paranoid={ParanoidForOwn}" : ""));
    }

    private static StreamCheck Tracefs(ProcFs proc, bool mayMount)
    {
        const string mount = "/sys/kernel/tracing";
        var found = new[] { mount, "/sys/kernel/debug/tracing" }.FirstOrDefault(root => proc.ReadText(root + "/events/sched/sched_switch/id") is not null);
        return Row(
            "tracefs",
            found is not null || mayMount,
            found is not null ? $"readable at {found}" : mayMount ? "not mounted; will be" : "not mounted, or closed to this user",
            $"sudo mount -t tracefs tracefs {mount}; sudo mount -o remount,gid=$(id -g),mode=750 {mount}. In a container: -v {mount}:{mount}:ro");
    }

    /// <summary>Checks for a seccomp filter. /proc shows that a filter is active, but not which calls it forbids. The
    /// kernel itself refuses with EACCES, a filter with EPERM or ENOSYS.</summary>
    private static StreamCheck Seccomp(string? status, IReadOnlyList<KernelAccess> tiers)
    {
        var filtered = ProcFs.Field(status, "Seccomp") == SeccompFilter.ToString(CultureInfo.InvariantCulture);
        var opened = tiers.Any(tier => tier.Available);
        var forbids = filtered && !opened && tiers.Any(tier => tier.Why.Contains("EPERM", StringComparison.Ordinal) || tier.Why.Contains("ENOSYS", StringComparison.Ordinal));
        return Row(
            "seccomp",
            !forbids,
            !filtered ? "no filter" : opened ? "a filter is active (Seccomp: 2) and lets perf_event_open through"
                : forbids ? "a filter is active (Seccomp: 2), and perf_event_open is refused with EPERM or ENOSYS, as filters do"
                : "a filter is active (Seccomp: 2); it may or may not let perf_event_open through",
            "Docker's default profile allows perf_event_open with --cap-add PERFMON; else --security-opt seccomp=PROFILE.json with perf_event_open allowed. "
                + "Kubernetes: securityContext.seccompProfile.type: Localhost with such a profile, or Unconfined");
    }

    private static StreamCheck Row(string name, bool available, string why, string how) =>
        new(name, available, why, available ? "" : how, Needed: false);

    private static bool Has(string? status, int capability) =>
        ulong.TryParse(ProcFs.Field(status, "CapEff"), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var effective)
        && (effective >> capability & 1) != 0;
}
