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
        var beside = Task.Factory.StartNew(
            () => StoppingTheOther(second, either), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        try
        {
            var found = StoppingTheOther(first, either);
            return (found, beside.GetAwaiter().GetResult());
        }
        catch (Exception e)
        {
            ((IAsyncResult)beside).AsyncWaitHandle.WaitOne(); // it has a file open
            if (e is OperationCanceledException && beside.Exception?.InnerException is { } why and not OperationCanceledException)
            {
                ExceptionDispatchInfo.Throw(why);
            }

            throw;
        }
    }

    private static T StoppingTheOther<T>(Func<CancellationToken, T> read, CancellationTokenSource both)
    {
        try
        {
            return read(both.Token);
        }
        catch
        {
            both.Cancel();
            throw;
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
