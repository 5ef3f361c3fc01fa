using Poolscope.Decode.Streams;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>Two streams that are read at once: what either gives, and what becomes of a failure.</summary>
public sealed class SideBySideTests
{
    [Fact]
    public void Both_run_at_once_and_give_what_they_give()
    {
        using var met = new Barrier(2);
        Assert.Equal((1, "two"), SideBySide.Run(_ => Meet(met, 1), _ => Meet(met, "two"), CancellationToken.None));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_failure_ends_the_other_and_is_told(bool isFirst)
    {
        var hasEnded = false;
        int Fail(CancellationToken cancel) => throw new InvalidDataException("damaged");
        int Wait(CancellationToken cancel)
        {
            try
            {
                cancel.WaitHandle.WaitOne(TimeSpan.FromSeconds(30));
                cancel.ThrowIfCancellationRequested();
                return 0;
            }
            finally
            {
                hasEnded = true;
            }
        }

        var told = Assert.Throws<InvalidDataException>(() => SideBySide.Run<int, int>(isFirst ? Fail : Wait, isFirst ? Wait : Fail, CancellationToken.None));
        Assert.Equal("damaged", told.Message);
        Assert.True(hasEnded);
    }

    [Fact]
    public void Who_cancels_is_told_so()
    {
        using var source = new CancellationTokenSource();
        source.Cancel();
        Assert.ThrowsAny<OperationCanceledException>(() => SideBySide.Run<int, int>(Read, Read, source.Token));
        static int Read(CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            return 0;
        }
    }

    private static T Meet<T>(Barrier met, T value)
    {
        Assert.True(met.SignalAndWait(TimeSpan.FromSeconds(30)));
        return value;
    }
}
