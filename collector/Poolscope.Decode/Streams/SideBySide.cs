using System.Runtime.ExceptionServices;

namespace Poolscope.Decode.Streams;

/// <summary>Runs two readings at once: the streams of a capture know nothing of each other, and a machine has two cores.</summary>
internal static class SideBySide
{
    [ThreadStatic]
    private static bool _inTurn;

    /// <summary>Whether the two run one after the other on this thread, where it calls. Default: no. A thread that measures what
    /// the two allocate has to do their work itself.</summary>
    public static bool InTurn
    {
        get => _inTurn;
        set => _inTurn = value;
    }

    /// <returns>What both gave.</returns>
    /// <exception cref="Exception">That of whichever failed; the other was cancelled, and has ended by then.</exception>
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

        // The one that failed cancelled the other.
        var failure = own.Failure is null or OperationCanceledException && beside.Failure is not null and not OperationCanceledException
            ? beside.Failure
            : own.Failure ?? beside.Failure;
        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        return (own.Value!, beside.Value!);
    }

    /// <summary>What a reading gave, or how it failed.</summary>
    private readonly record struct Outcome<T>(T? Value, Exception? Failure)
    {
        /// <param name="both">Cancelled if it fails.</param>
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

    /// <summary>Lets what both say through one at a time.</summary>
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
