using Poolscope.Collect.Errors;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Xunit;

namespace Poolscope.Collect.Tests.Launch;

public sealed class SuspendedTargetTests : IDisposable
{
    private readonly FakeRoot _root = new();

    [Theory]
    [InlineData("/tmp/poolscope-aBcDeF/port,suspend", true)]
    [InlineData("/tmp/poolscope-aBcDeF/port,suspend;/tmp/monitor.sock,nosuspend", true)]
    [InlineData("/tmp/monitor.sock", false)]
    [InlineData("/tmp/poolscope-aBcDeF/other,suspend", false)]
    [InlineData("/tmp/monitor.sock,listen,suspend", false)]
    public void One_that_waits_is_found_and_it_is_known_whether_we_told_it_to(string ports, bool ours)
    {
        Waiting(ports);
        Assert.Equal(ours, SuspendedTarget.Find(_root.Proc, FakeRoot.Pid)!.IsOurs);
    }

    [Theory]
    [InlineData("/tmp/monitor.sock,nosuspend")]
    [InlineData("/tmp/monitor.sock,listen")]
    [InlineData("")]
    public void Ports_that_do_not_hold_a_runtime_are_no_reason(string ports)
    {
        Waiting(ports);
        Assert.Null(SuspendedTarget.Find(_root.Proc, FakeRoot.Pid));
    }

    [Fact]
    public void A_runtime_that_has_a_finalizer_runs()
    {
        Waiting("/tmp/poolscope-aBcDeF/port,suspend");
        Thread(2, ".NET Finalizer");
        Assert.Null(SuspendedTarget.Find(_root.Proc, FakeRoot.Pid));
    }

    [Fact]
    public async Task One_that_waits_for_another_tool_is_refused_with_its_port()
    {
        Waiting("/tmp/monitor.sock,suspend");
        var refused = await Assert.ThrowsAsync<CommandException>(() => SuspendedTarget.Find(_root.Proc, FakeRoot.Pid)!.ResumeAsync());
        Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        Assert.Contains("/tmp/monitor.sock", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("DOTNET_EnableDiagnostics", "0", true)]
    [InlineData("DOTNET_EnableDiagnostics", "0x0", true)]
    [InlineData("DOTNET_EnableDiagnostics_IPC", "0", true)]
    [InlineData("COMPlus_EnableDiagnostics", "00", true)]
    [InlineData("DOTNET_EnableDiagnostics", "1", false)]
    [InlineData("DOTNET_EnableDiagnostics", "no", false)]
    [InlineData("DOTNET_EnableDiagnostics_Debugger", "0", false)]
    public void Diagnostics_are_off_where_a_variable_says_so(string name, string value, bool off) =>
        Assert.Equal(off ? $"{name}={value}" : null, DiagnosticsSwitch.TurnedOffBy(new Dictionary<string, string> { ["PATH"] = "/bin", [name] = value }));

    public void Dispose() => _root.Dispose();

    private void Waiting(string ports)
    {
        _root.Write($"/proc/{FakeRoot.Pid}/environ", $"PATH=/bin\0{StartupPort.Variable}={ports}\0");
        Thread(FakeRoot.Pid, "dotnet");
        Thread(1, ".NET EventPipe");
    }

    private void Thread(int tid, string name) => _root.Write($"/proc/{FakeRoot.Pid}/task/{tid}/comm", name + "\n");
}
