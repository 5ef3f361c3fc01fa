using Poolscope.Tables;

namespace Poolscope.Decode.Waits;

/// <summary>Table `suspensions`. The runtime allows one suspension at a time, whose begin and end may come from
/// different threads. A second thread may report a begin while it still waits for the first suspension to end; then the
/// ends come in the order of the begins.</summary>
internal sealed class SuspensionTable
{
    private readonly Column<long> _start;
    private readonly Column<long> _end;
    private readonly Column<int> _reason;
    private readonly Queue<int> _open = new();

    public SuspensionTable()
    {
        _start = Table.Int64("start");
        _end = Table.Int64("end");
        _reason = Table.Int32("reason");
    }

    public Table Table { get; } = Table.Create("suspensions");

    public void Begin(long time, int reason)
    {
        _open.Enqueue(Table.Count);
        _start.Add(time);
        _end.Add(-1);
        _reason.Add(reason);
    }

    public void End(long time)
    {
        if (_open.TryDequeue(out var row))
        {
            _end[row] = time;
        }
    }

    /// <summary>Returns whether a time is inside a suspension. Call after the last event; suspensions begin in order of
    /// time.</summary>
    public bool IsSuspended(long time)
    {
        var row = LastBegun(time);
        return row >= 0 && (_end[row] < 0 || time <= _end[row]);
    }

    /// <returns>The row of the last suspension that began by a time; -1 if none.</returns>
    private int LastBegun(long time)
    {
        var (low, high) = (0, _start.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            (low, high) = _start[middle] <= time ? (middle + 1, high) : (low, middle);
        }

        return low - 1;
    }
}
