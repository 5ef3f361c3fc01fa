using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>The kernel's tracing file system: ids and field descriptions of tracepoints.</summary>
internal sealed class Tracefs
{
    internal const string MountPoint = "/sys/kernel/tracing";

    // The automount of debugfs: the only mount on kernels before 4.1 and on some hardened systems.
    private const string DebugMountPoint = "/sys/kernel/debug/tracing";

    private const int CapSysAdmin = 21;

    private readonly string _root;

    private Tracefs(string root) => _root = root;

    /// <summary>Finds tracefs, and mounts it if it is not mounted.</summary>
    /// <exception cref="SchedulerRefusedException">tracefs is not mounted and this process may not mount it, or its
    /// files cannot be read.</exception>
    internal static Tracefs Open()
    {
        if (TryFind() is { } found)
        {
            return found;
        }

        if (Libc.Mount("tracefs", MountPoint, "tracefs", 0, 0) != 0)
        {
            throw new SchedulerRefusedException(
                $"tracefs is not mounted, or may not be read, and mounting it at {MountPoint} failed: "
                    + Libc.Errno.Describe(Marshal.GetLastPInvokeError()),
                $"As root: mount -t tracefs tracefs {MountPoint} (in a container: give it the host's {MountPoint}); then run as root, or "
                    + $"make it readable with mount -o remount,gid=GROUP,mode=750 {MountPoint} for a group of yours");
        }

        return TryFind() ?? throw new SchedulerRefusedException(
            $"{MountPoint} is mounted, but has no sched_switch event", "Use a kernel with CONFIG_SCHED_TRACER or any other tracer (event tracing)");
    }

    /// <returns>Null if tracefs is not mounted, or this user cannot read it.</returns>
    internal static Tracefs? TryFind()
    {
        foreach (var root in new[] { MountPoint, DebugMountPoint })
        {
            if (File.Exists(Path.Combine(root, "events/sched/sched_switch/id")))
            {
                return new Tracefs(root);
            }
        }

        return null;
    }

    /// <summary>Returns whether this process has the right to mount file systems (CAP_SYS_ADMIN).</summary>
    internal static bool MayMount()
    {
        const string key = "CapEff:";
        var line = File.ReadLines("/proc/self/status").FirstOrDefault(l => l.StartsWith(key, StringComparison.Ordinal));
        return line is not null
            && ulong.TryParse(line.AsSpan(key.Length).Trim(), NumberStyles.HexNumber, null, out var capabilities)
            && (capabilities >> CapSysAdmin & 1) != 0;
    }

    /// <summary>Returns whether this kernel has the tracepoint.</summary>
    internal bool Has(string system, string tracepoint) => File.Exists(Path.Combine(_root, "events", system, tracepoint, "id"));

    /// <summary>Returns the number by which perf_event_open identifies a tracepoint. It differs between kernel
    /// builds.</summary>
    internal ulong Id(string system, string tracepoint) =>
        ulong.Parse(Encoding.ASCII.GetString(Read($"events/{system}/{tracepoint}/id")).AsSpan().Trim());

    /// <summary>Returns the kernel's description of a tracepoint's fields.</summary>
    internal string Format(string system, string tracepoint) =>
        Encoding.ASCII.GetString(Read($"events/{system}/{tracepoint}/format"));

    internal byte[] HeaderPage() => Read("events/header_page");

    internal byte[] HeaderEvent() => Read("events/header_event");

    /// <summary>Reads a file in one call with a large buffer: header_page reports its end after the first read, however
    /// small.</summary>
    private byte[] Read(string path)
    {
        try
        {
            using var file = File.OpenHandle(Path.Combine(_root, path));
            var buffer = new byte[64 << 10];
            return buffer[..RandomAccess.Read(file, buffer, 0)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new SchedulerRefusedException(
                $"{Path.Combine(_root, path)} cannot be read: {e.Message}",
                $"Run as root, or make tracefs readable: mount -o remount,gid=GROUP,mode=750 {_root}");
        }
    }
}
