using Poolscope.Tables;

namespace Poolscope.Decode.Waits;

/// <summary>Table `suspensions`: the runtime allows one at a time, whichever threads begin and end it.</summary>
internal sealed class SuspensionTable
{
    private readonly Column<long> _start;
    private readonly Column<long> _end;
    private readonly Column<int> _reason;
    private bool _open;

    public SuspensionTable()
    {
        _start = Table.Int64("start");
        _end = Table.Int64("end");
        _reason = Table.Int32("reason");
    }

    public Table Table { get; } = Table.Create("suspensions");

    public void Begin(long time, int reason)
    {
        _open = true;
        _start.Add(time);
        _end.Add(-1);
        _reason.Add(reason);
    }

    public void End(long time)
    {
        if (_open)
        {
            _open = false;
            _end[Table.Count - 1] = time;
        }
    }
}
