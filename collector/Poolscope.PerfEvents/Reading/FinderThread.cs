using System.Runtime.ExceptionServices;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Finds the records of a file on a thread of its own, ahead of the one that decodes them.</summary>
/// <param name="enough">Cancelled when the decoder wants no more.</param>
internal sealed class FinderThread(RecordFinder finder, RecordBatches records, CancellationTokenSource enough)
{
    private Thread? _thread;
    private Exception? _failure;

    /// <summary>False: the rest of the file is missing, or was not wanted any more. Known after <see cref="End"/>.</summary>
    internal bool ReachedEnd { get; private set; }

    internal void Start()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "poolscope-find" };
        _thread.Start();
    }

    /// <summary>Returns when the file is not read any more.</summary>
    /// <exception cref="Exception">What ended the thread, unless the file did.</exception>
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
            // Nobody wants the rest.
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
