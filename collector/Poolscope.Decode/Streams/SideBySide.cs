using System.Runtime.ExceptionServices;

namespace Poolscope.Decode.Streams;

/// <summary>Runs two readers at once: the streams of a capture are independent, and a machine has at least two
/// cores.</summary>
internal static class SideBySide
{
    [ThreadStatic]
    private static bool _inTurn;

    /// <summary>Whether the two run one after the other on the calling thread. Default: false. Set it to measure the
    /// allocations of both, which are counted per thread.</summary>
    public static bool InTurn
    {
        get => _inTurn;
        set => _inTurn = value;
    }

    /// <returns>The results of both.</returns>
    /// <exception cref="Exception">The exception of the one that failed. The other was cancelled and has
    /// ended.</exception>
    public static (TFirst First, TSecond Second) Run<TFirst, TSecond>(
        Func<CancellationToken, TFirst> first, Func<CancellationToken, TSecond> second, CancellationToken cancellation)
    {
        if (InTurn)
        {
            return (first(cancellation), second(cancellation));
        }

        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var beside = default(Outcome<TSecond>);
        var thread = new Thread(() => beside = Outcome<TSecond>.Of(second, either)) { IsBackground = true, Name = "poolscope-beside" };
        thread.Start();
        var own = Outcome<TFirst>.Of(first, either);
        thread.Join();

        // The failed one cancelled the other.
        var failure = own.Failure is null or OperationCanceledException && beside.Failure is not null and not OperationCanceledException
            ? beside.Failure
            : own.Failure ?? beside.Failure;
        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        return (own.Value!, beside.Value!);
    }

    /// <summary>The result of a reader, or its failure.</summary>
    private readonly record struct Outcome<T>(T? Value, Exception? Failure)
    {
        /// <param name="both">Cancelled if the reader fails.</param>
        public static Outcome<T> Of(Func<CancellationToken, T> read, CancellationTokenSource both)
        {
            try
            {
                return new(read(both.Token), null);
            }
            catch (Exception e)
            {
                both.Cancel();
                return new(default, e);
            }
        }
    }

    /// <summary>Forwards the progress of both, one line at a time.</summary>
    public sealed class Progress(IProgress<string> of) : IProgress<string>
    {
        private readonly Lock _saying = new();

        public void Report(string value)
        {
            lock (_saying)
            {
                of.Report(value);
            }
        }
    }
}
