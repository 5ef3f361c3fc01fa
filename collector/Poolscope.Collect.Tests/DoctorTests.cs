using System.Text.Json;
using Poolscope.Collect.Commands.Doctor;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Kernel;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>Each cause that can prevent a recording has a row, and the row has the command that removes it.</summary>
public sealed class DoctorTests : IDisposable
{
    private const string Unprivileged = "Seccomp:\t0\nCapEff:\t0000000000000000\n";
    private const string Root = "Seccomp:\t0\nCapEff:\t000001ffffffffff\n";
    private const uint User = 1000;

    private readonly FakeRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Theory]
    [InlineData(Unprivileged, "2\n", false, "tier switch", "sudo sysctl kernel.perf_event_paranoid=-1")]
    [InlineData(Unprivileged, "4\n", false, "nothing", "sudo sysctl kernel.perf_event_paranoid=2")]
    [InlineData(Unprivileged, "-1\n", true, "= -1", "")]
    [InlineData(Root, "4\n", true, "does not bind", "")]
    [InlineData(Root, null, false, "no perf events", "CONFIG_PERF_EVENTS")]
    public void Paranoid(string status, string? level, bool available, string why, string how)
    {
        if (level is not null)
        {
            _root.Write("/proc/sys/kernel/perf_event_paranoid", level);
        }

        Row("perf_event_paranoid", status, available, why, how);
    }

    [Theory]
    [InlineData("CapEff:\t0000000000000000\n", false, "CapEff 0000000000000000", "--ambient-caps=+perfmon")]
    [InlineData("CapEff:\t0000004000000000\n", true, "has it", "")]
    [InlineData("CapEff:\t0000000000200000\n", true, "CAP_SYS_ADMIN", "")]
    [InlineData("", false, "unknown", "--cap-add PERFMON")]
    public void Capability(string status, bool available, string why, string how) => Row("CAP_PERFMON", status, available, why, how);

    [Fact]
    public void Tracefs()
    {
        Row("tracefs", Unprivileged, false, "closed to this user", "mount -o remount,gid=$(id -g),mode=750 /sys/kernel/tracing");
        Row("tracefs", Root, true, "will be", "");
        _root.Write("/sys/kernel/debug/tracing/events/sched/sched_switch/id", "316\n");
        Row("tracefs", Unprivileged, true, "/sys/kernel/debug/tracing", "");
    }

    [Theory]
    [InlineData(0, "perf_event_open: EPERM (1)", true, "no filter", "")]
    [InlineData(2, "perf_event_open: EPERM (1)", false, "Seccomp: 2", "seccomp=")]
    [InlineData(2, "perf_event_open: ENOSYS (38)", false, "Seccomp: 2", "perf_event_open allowed")]
    [InlineData(2, "perf_event_open: EACCES (13)", true, "may or may not", "")]
    [InlineData(2, null, true, "lets perf_event_open through", "")]
    public void Seccomp(int mode, string? refusal, bool available, string why, string how) =>
        Row("seccomp", $"Seccomp:\t{mode}\nCapEff:\t0\n", available, why, how, new KernelAccess(refusal is null, refusal ?? "opened", ""));

    [Fact]
    public void A_socket_of_another_user()
    {
        _root.Write("/etc/passwd", "root:x:0:0::/:/bin/sh\napp:x:1000:1000::/:/bin/sh\n");
        var check = SocketCondition.Check(_root.Proc, FakeRoot.Pid, user: 1001);
        Assert.False(check.Available);
        Assert.Contains("belongs to app (uid 1000)", check.Why, StringComparison.Ordinal);
        Assert.StartsWith("sudo -u app poolscope ", check.How, StringComparison.Ordinal);
    }

    [Fact]
    public void A_socket_in_a_containers_tmp()
    {
        // The process's own pid is 7, in a file system that this user may not enter.
        var closed = SocketCondition.Check(_root.Proc, FakeRoot.Pid, User);
        Assert.Contains($"/proc/{FakeRoot.Pid}/root/tmp", closed.Why, StringComparison.Ordinal);
        Assert.Contains("on the host", closed.How, StringComparison.Ordinal);

        _root.Write($"/proc/{FakeRoot.Pid}/root/tmp/dotnet-diagnostic-7-98765-socket", "");
        var found = SocketCondition.Check(_root.Proc, FakeRoot.Pid, User);
        Assert.True(found.Available);
        Assert.Contains($"/proc/{FakeRoot.Pid}/root/tmp/dotnet-diagnostic-7-98765-socket", found.Why, StringComparison.Ordinal);
    }

    [Fact]
    public void A_socket_that_an_earlier_process_of_this_id_left_behind_is_not_this_ones()
    {
        _root.Write($"/proc/{FakeRoot.Pid}/root/tmp/dotnet-diagnostic-7-98764-socket", "");

        Assert.False(SocketCondition.Check(_root.Proc, FakeRoot.Pid, User).Available);
    }

    [Fact]
    public void A_process_whose_diagnostics_are_off_or_whose_socket_was_removed()
    {
        _root.Write($"/proc/{FakeRoot.Pid}/root/tmp/other", "");
        Assert.Contains("dotnet-diagnostic-*", SocketCondition.Check(_root.Proc, FakeRoot.Pid, User).How, StringComparison.Ordinal);
        _root.Write($"/proc/{FakeRoot.Pid}/environ", "DOTNET_EnableDiagnostics=0\0");
        Assert.Equal("Start it again without DOTNET_EnableDiagnostics=0", SocketCondition.Check(_root.Proc, FakeRoot.Pid, User).How);
    }

    [Theory]
    [InlineData(".NET 8.0.29", false)]
    [InlineData(".NET 9.0.1", true)]
    [InlineData(null, true)]
    public void A_runtime_too_old_for_an_event(string? runtime, bool available)
    {
        var check = DoctorCommand.Waits(runtime, new StreamCheck("", true, "opened", ""));
        Assert.Equal((available, "waits", true), (check.Available, check.Stream, check.Needed));
        Assert.Equal(!available, check.How.Contains(".NET 9", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_cannot_be_had_for_a_process_is_rows_and_not_one_complaint(bool tracepoint)
    {
        var console = new RecordingConsole();
        _root.Write("/proc/self/status", Unprivileged);
        _root.Write("/proc/sys/kernel/perf_event_paranoid", "2\n");
        var code = await DoctorCommand.RunAsync(
            new DoctorOptions(FakeRoot.Pid, Json: true), console, [new Tier("tracepoint", tracepoint), new Tier("switch", true)], _root.Proc, user: 1001);
        var rows = JsonDocument.Parse(console.Written).RootElement.EnumerateArray().ToDictionary(row => row.GetProperty("stream").GetString()!);

        Assert.Equal(
            ["runtime", "waits", "symbols", "sched", "sched (switch)", "diagnostic socket", "CAP_PERFMON", "perf_event_paranoid", "tracefs", "seccomp"], rows.Keys);
        Assert.Equal(ExitCode.Unreadable, code);
        Assert.False(rows["runtime"].GetProperty("available").GetBoolean());
        Assert.StartsWith("sudo -u", rows["runtime"].GetProperty("how").GetString(), StringComparison.Ordinal);
        Assert.Equal(tracepoint, rows["sched"].GetProperty("available").GetBoolean());
        Assert.True(rows["sched (switch)"].GetProperty("available").GetBoolean());
        Assert.All(rows.Values, row => Assert.Equal(!row.GetProperty("available").GetBoolean(), row.GetProperty("how").GetString()!.Length > 0));
    }

    private void Row(string name, string status, bool available, string why, string how, params KernelAccess[] tiers)
    {
        _root.Write("/proc/self/status", status);
        var row = KernelConditions.Check(_root.Proc, tiers).Single(check => check.Stream == name);
        Assert.Equal((available, false), (row.Available, row.Needed));
        Assert.Contains(why, row.Why, StringComparison.Ordinal);
        Assert.Contains(how, row.How, StringComparison.Ordinal);
        Assert.Equal(available, row.How.Length == 0);
    }

    private sealed class Tier(string name, bool available) : IKernelTier
    {
        public string Name => name;

        public KernelAccess Probe(int? pid) => available ? new(true, "opened", "") : new(false, "EACCES", "be root");

        public IKernelStream Start(KernelRequest request) => throw new NotSupportedException();
    }
}
