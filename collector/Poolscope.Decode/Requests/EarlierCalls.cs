using Poolscope.Tables;

namespace Poolscope.Decode.Requests;

/// <summary>Table `earlier_calls`: the response headers of calls that began before the recording. The header of a
/// redirect is left out, because the call receives another one.</summary>
internal sealed class EarlierCalls
{
    private readonly List<(long Time, int Tid, int Status)?> _heads = [];

    /// <summary>The latest response header of each thread within its current work item.</summary>
    private readonly Dictionary<int, int> _latest = [];

    /// <summary>The table, complete after <see cref="Finish"/>.</summary>
    public Table Table { get; } = Table.Create("earlier_calls");

    public void Head(long time, int tid, int status)
    {
        _latest[tid] = _heads.Count;
        _heads.Add((time, tid, status));
    }

    public void Redirected(int tid)
    {
        if (_latest.Remove(tid, out var head))
        {
            _heads[head] = null;
        }
    }

    public void NewItem(int tid) => _latest.Remove(tid);

    /// <summary>Fills the table. Call once, after the last event.</summary>
    public void Finish()
    {
        var (time, tid, status) = (Table.Int64("time"), Table.Int32("tid"), Table.Int32("status"));
        foreach (var head in _heads.OfType<(long Time, int Tid, int Status)>())
        {
            time.Add(head.Time);
            tid.Add(head.Tid);
            status.Add(head.Status);
        }
    }
}
