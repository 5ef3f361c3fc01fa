using System.Diagnostics;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class DiagnosticErrorsTests
{
    private static readonly IOException Cause = new("Cannot assign requested address");

    [Fact]
    public async Task A_process_that_ended_while_it_was_attached_to_is_said_to_have()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "asks /proc");
        using var ended = Process.Start("true");
        await ended.WaitForExitAsync(TestContext.Current.CancellationToken);
        var said = DiagnosticErrors.NoSession(ended.Id, Cause);
        Assert.Equal((ExitCode.Unreadable, $"process {ended.Id} ended before Poolscope could record it"), (said.ExitCode, said.Message));
    }

    [Fact]
    public void One_that_runs_gives_its_reason() =>
        Assert.EndsWith(Cause.Message, DiagnosticErrors.NoSession(Environment.ProcessId, Cause).Message, StringComparison.Ordinal);
}
