using Poolscope.Collect.Launch;
using Xunit;

namespace Poolscope.Collect.Tests.Launch;

/// <summary>A startup port, called by fake runtimes.</summary>
public sealed class StartupPortTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(20);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(null)]
    [InlineData("/tmp/other,nosuspend")]
    public async Task The_first_waits_until_it_is_resumed_and_every_later_one_is_let_go(string? othersPorts)
    {
        using var port = StartupPort.Open(othersPorts);
        var (first, second) = (new FakeRuntime(port.Address, 7), new FakeRuntime(port.Address, 8));
        var running = first.RunAsync(Cancel);
        var target = await port.Target.WaitAsync(Long, Cancel);
        await second.RunAsync(Cancel).WaitAsync(Long, Cancel);
        Assert.Equal(7, target.Pid);
        await Assert.ThrowsAsync<TimeoutException>(() => running.WaitAsync(Short, Cancel));

        Assert.True(await target.ResumeAsync(Cancel));
        await running.WaitAsync(Long, Cancel);
        foreach (var runtime in new[] { first, second })
        {
            Assert.Equal(StartupPort.Variable, runtime.Environment?.Name);
            Assert.Equal(othersPorts, runtime.Environment?.Value);
        }
    }

    [Fact]
    public async Task Letting_go_resumes_who_waits_and_holds_nobody_after()
    {
        using var port = StartupPort.Open(null);
        var first = new FakeRuntime(port.Address, 7).RunAsync(Cancel);
        await port.Target.WaitAsync(Long, Cancel);
        await port.LetGoAsync(Cancel);
        await first.WaitAsync(Long, Cancel);
        await new FakeRuntime(port.Address, 8).RunAsync(Cancel).WaitAsync(Long, Cancel);
    }

    /// <summary>As after a collector and its guard were both killed: the waiting programs have the path in their
    /// environment.</summary>
    [Fact]
    public async Task A_port_whose_folder_is_gone_is_opened_again_for_those_who_call_it()
    {
        var gone = StartupPort.Open(null);
        gone.Dispose();
        Assert.False(Directory.Exists(Path.GetDirectoryName(gone.Address)));
        using (var port = StartupPort.Reopen(Path.GetDirectoryName(gone.Address)!, null))
        {
            Assert.Equal(gone.Address, port.Address);
            await new FakeRuntime(port.Address, 7).RunAsync(Cancel).WaitAsync(Long, Cancel);
        }

        Assert.False(Directory.Exists(Path.GetDirectoryName(gone.Address)));
    }
}
