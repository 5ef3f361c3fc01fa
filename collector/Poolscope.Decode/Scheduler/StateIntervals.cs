namespace Poolscope.Decode.Scheduler;

/// <summary>Iterates over a thread's states between two times, in order, without gap or overlap. A thread has millions
/// of states, so this is not an iterator method and copies many changes at a time.</summary>
/// <param name="from">Start of the range, CLOCK_MONOTONIC ns like all times.</param>
/// <param name="first">Index of the first change of state.</param>
internal sealed class StateIntervals(ThreadHistory thread, long from, long to, int first = 0)
{
    private const int ChangesAtOnce = 1024;

    private readonly long[] _changes = new long[Math.Clamp(thread.Changes - first, 1, ChangesAtOnce)];
    private int _taken = first;
    private int _count;
    private int _at;
    private long? _current;

    internal long Start { get; private set; }

    internal long End { get; private set; }

    internal ThreadState State { get; private set; }

    /// <returns>False if there are no more states.</returns>
    internal bool Next()
    {
        while (TryTake(out var next))
        {
            if (_current is { } change && Shows(change, ThreadHistory.TimeOf(next)))
            {
                _current = next;
                return true;
            }

            _current = next;
        }

        if (_current is not { } last)
        {
            return false;
        }

        _current = null;
        return Shows(last, long.MaxValue);
    }

    private bool Shows(long change, long until)
    {
        State = ThreadHistory.StateOf(change);
        Start = Math.Max(ThreadHistory.TimeOf(change), from);
        End = Math.Min(until, to);
        return Start < End && State != ThreadState.Gone;
    }

    private bool TryTake(out long change)
    {
        if (_at == _count)
        {
            _count = thread.CopyChanges(_taken, _changes);
            _taken += _count;
            _at = 0;
        }

        change = _count > 0 ? _changes[_at] : 0;
        return _at++ < _count;
    }
}
