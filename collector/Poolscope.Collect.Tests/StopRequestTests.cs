using System.Runtime.InteropServices;
using Poolscope.Collect.Recording;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class StopRequestTests
{
    [Theory]
    [InlineData(false, PosixSignal.SIGINT)]
    [InlineData(false, PosixSignal.SIGINT, StopRequest.PassedOn)]
    [InlineData(false, PosixSignal.SIGTERM, StopRequest.PassedOn)]
    [InlineData(false, PosixSignal.SIGTERM, StopRequest.PassedOn, PosixSignal.SIGHUP)]
    [InlineData(true, PosixSignal.SIGINT, PosixSignal.SIGINT)]
    [InlineData(true, PosixSignal.SIGTERM, PosixSignal.SIGTERM)]
    [InlineData(true, StopRequest.PassedOn, StopRequest.PassedOn)]
    [InlineData(true, PosixSignal.SIGINT, StopRequest.PassedOn, PosixSignal.SIGINT, StopRequest.PassedOn)]
    public async Task Only_the_same_signal_again_means_at_once(bool hurry, params PosixSignal[] signals)
    {
        using var stop = new StopRequest();
        Array.ForEach(signals, stop.Request);
        Assert.Equal(signals[0], await stop.Requested);
        Assert.True(stop.Token.IsCancellationRequested);
        Assert.Equal(hurry, stop.Hurry.IsCancellationRequested);
    }
}
