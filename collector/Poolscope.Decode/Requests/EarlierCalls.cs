using Poolscope.Tables;

namespace Poolscope.Decode.Requests;

/// <summary>Table `earlier_calls`: the answers' heads of calls that began before the recording. A head that sent its call on to
/// another address is left out: the call's next one counts.</summary>
internal sealed class EarlierCalls
{
    private readonly List<(long Time, int Tid, int Status)?> _heads = [];

    /// <summary>By thread, since it began its work item: its latest head.</summary>
    private readonly Dictionary<int, int> _latest = [];

    /// <summary>After <see cref="Finish"/>.</summary>
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
