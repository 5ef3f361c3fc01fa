using System.Runtime.ExceptionServices;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Finds the records of a file on its own thread, ahead of the thread that decodes them.</summary>
/// <param name="enough">Cancelled when the decoder needs no more records.</param>
internal sealed class FinderThread(RecordFinder finder, RecordBatches records, CancellationTokenSource enough)
{
    private Thread? _thread;
    private Exception? _failure;

    /// <summary>False if the rest of the file is missing, or was not needed any more. Valid after
    /// <see cref="End"/>.</summary>
    internal bool ReachedEnd { get; private set; }

    internal void Start()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "poolscope-find" };
        _thread.Start();
    }

    /// <summary>Ends the reading, and returns when the thread has ended.</summary>
    /// <exception cref="Exception">The error that ended the thread, if any.</exception>
    internal void End()
    {
        enough.Cancel();
        _thread?.Join();
        if (_failure is not null)
        {
            ExceptionDispatchInfo.Throw(_failure);
        }
    }

    private void Run()
    {
        try
        {
            ReachedEnd = finder.Run(enough.Token);
        }
        catch (OperationCanceledException)
        {
            // The decoder needs no more records.
        }
        catch (Exception e)
        {
            _failure = e;
        }
        finally
        {
            records.Complete();
        }
    }
}
