namespace Poolscope.Collect.Live;

/// <summary>Holds the latest state and recent events. One thread posts states; any may add events or read.</summary>
/// <param name="maxBytes">The limit of bytes on the disk, as <paramref name="keep"/> is of captures; null if nothing is
/// recorded.</param>
internal sealed class StateBoard(long? maxBytes = null, int? keep = null)
{
    /// <summary>The number of remembered moments, one for each second.</summary>
    public const int MostMoments = 60;

    public const int MostNotes = 50;

    private readonly Lock _lock = new();
    private readonly Queue<Moment> _minute = [];
    private readonly Queue<Note> _notes = [];
    private Tally _tally = new(0, 0, 0, 0);
    private PoolState? _latest;

    /// <summary>The latest state, or null if there is none yet.</summary>
    public PoolState? Latest
    {
        get
        {
            lock (_lock)
            {
                return _latest;
            }
        }
    }

    /// <returns>The state with the limits, the last minute and the recent events.</returns>
    public PoolState Post(PoolState state)
    {
        lock (_lock)
        {
            Push(_minute, new Moment(state.WaitS, state.Queue, state.Threads), MostMoments);
            _latest = state with { MaxBytes = maxBytes, Keep = keep, Tally = _tally, Minute = [.. _minute], Notes = [.. _notes] };
            return _latest;
        }
    }

    public void Add(Note note, Tally more)
    {
        lock (_lock)
        {
            Push(_notes, note, MostNotes);
            _tally = new Tally(_tally.Fired + more.Fired, _tally.Captured + more.Captured, _tally.Failed + more.Failed, _tally.Warnings + more.Warnings);
            _latest = _latest is null ? null : _latest with { Tally = _tally, Notes = [.. _notes] };
        }
    }

    private static void Push<T>(Queue<T> queue, T item, int most)
    {
        queue.Enqueue(item);
        if (queue.Count > most)
        {
            queue.Dequeue();
        }
    }
}
