using Poolscope.Collect.Launch;
using Xunit;

namespace Poolscope.Collect.Tests.Launch;

/// <summary>The Windows port, called by fake runtimes. On Linux, .NET implements a named pipe as a Unix
/// socket.</summary>
public sealed class PipePortTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(20);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(null)]
    [InlineData("other,nosuspend")]
    public async Task The_first_waits_until_it_is_resumed_and_every_later_one_is_let_go(string? othersPorts)
    {
        using var port = PipePort.Open(othersPorts);
        var name = port.Configuration.Split(',')[0];
        Assert.Equal(StartupPort.Configuration(name, othersPorts), port.Configuration);

        var (first, second) = (FakeRuntime.OfPipe(name, 7), FakeRuntime.OfPipe(name, 8));
        var running = first.RunAsync(Cancel);
        Assert.Equal(7, (await port.Target.WaitAsync(Long, Cancel)).Pid);
        await second.RunAsync(Cancel).WaitAsync(Long, Cancel);
        await Assert.ThrowsAsync<TimeoutException>(() => running.WaitAsync(Short, Cancel));

        await port.LetGoAsync(Cancel);
        await running.WaitAsync(Long, Cancel);
        Assert.All([first, second], runtime => Assert.Equal((StartupPort.Variable, othersPorts), runtime.Environment));
    }

    [Fact]
    public async Task A_closed_port_names_no_target()
    {
        var port = PipePort.Open(null);
        port.Dispose();
        await Assert.ThrowsAsync<TaskCanceledException>(() => port.Target.WaitAsync(Long, Cancel));
    }
}
