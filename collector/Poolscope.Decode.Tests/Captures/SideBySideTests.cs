using Poolscope.Decode.Streams;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>Two streams are read at once. A failure of either ends the other and is thrown.</summary>
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

    [Fact]
    public void In_turn_both_run_on_the_thread_that_asks_and_on_no_other_one_s_wish()
    {
        var here = Environment.CurrentManagedThreadId;
        SideBySide.InTurn = true;
        try
        {
            Assert.Equal((here, here), SideBySide.Run(static _ => Environment.CurrentManagedThreadId, static _ => Environment.CurrentManagedThreadId, CancellationToken.None));
            var elsewhere = true;
            var other = new Thread(() => elsewhere = SideBySide.InTurn);
            other.Start();
            other.Join();
            Assert.False(elsewhere);
        }
        finally
        {
            SideBySide.InTurn = false;
        }
    }

    private static T Meet<T>(Barrier met, T value)
    {
        Assert.True(met.SignalAndWait(TimeSpan.FromSeconds(30)));
        return value;
    }
}
