using System.Runtime.InteropServices;
using Poolscope.Collect.Recording;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class StopRequestTests
{
    [Theory]
    [InlineData(false, PosixSignal.SIGINT)]
    [InlineData(false, PosixSignal.SIGINT, PosixSignal.SIGTERM)]
    [InlineData(true, PosixSignal.SIGINT, PosixSignal.SIGINT)]
    [InlineData(true, PosixSignal.SIGTERM, PosixSignal.SIGTERM)]
    [InlineData(true, PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGINT, PosixSignal.SIGTERM)]
    public async Task Only_the_same_signal_again_means_at_once(bool hurry, params PosixSignal[] signals)
    {
        using var stop = new StopRequest();
        Array.ForEach(signals, stop.Request);
        Assert.Equal(signals[0], await stop.Requested);
        Assert.True(stop.Token.IsCancellationRequested);
        Assert.Equal(hurry, stop.Hurry.IsCancellationRequested);
    }
}
