using System.Runtime.ExceptionServices;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>Asks the thread of a recording to switch to another file. The thread checks for a request between two
/// passes, and refuses the last one when it ends.</summary>
/// <typeparam name="TNext">The next file.</typeparam>
/// <typeparam name="TCut">The point of the switch.</typeparam>
internal sealed class CutRequests<TNext, TCut>
    where TNext : class
{
    private readonly Lock _lock = new();
    private Request? _open;
    private IOException? _ended;

    /// <summary>The requested file; null: none. Called on the recording's thread.</summary>
    internal TNext? Next => Volatile.Read(ref _open)?.Next;

    /// <summary>Requests a switch, and returns when the thread has answered. One call at a time.</summary>
    /// <param name="wake">Wakes the thread. Called once the thread can see the request.</param>
    /// <exception cref="IOException">The recording has ended.</exception>
    internal TCut Ask(TNext next, Action? wake = null)
    {
        using var request = new Request(next);
        lock (_lock)
        {
            if (_ended is not null)
            {
                throw _ended;
            }

            _open = request;
        }

        wake?.Invoke();
        request.Answered.WaitOne();
        if (request.Refused is { } why)
        {
            ExceptionDispatchInfo.Throw(why);
        }

        return request.Cut!;
    }

    /// <summary>Answers the request. Called on the recording's thread, once it writes to <see cref="Next"/>.</summary>
    internal void Answer(TCut cut) => Close(request => request.Cut = cut);

    /// <summary>Refuses an open request, and all later ones. The last call on the recording's thread.</summary>
    internal void End(IOException why)
    {
        lock (_lock)
        {
            _ended = why;
        }

        Close(request => request.Refused = why);
    }

    private void Close(Action<Request> with)
    {
        if (Interlocked.Exchange(ref _open, null) is { } request)
        {
            with(request);
            request.Answered.Set();
        }
    }

    private sealed class Request(TNext next) : IDisposable
    {
        internal TNext Next => next;

        internal ManualResetEvent Answered { get; } = new(false);

        internal TCut? Cut { get; set; }

        internal IOException? Refused { get; set; }

        public void Dispose() => Answered.Dispose();
    }
}
