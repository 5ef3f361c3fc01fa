using Poolscope.Decode.Events.Web;
using Poolscope.Tables;

namespace Poolscope.Decode.Requests;

/// <summary>Table `activities`, by span id. An activity that began before the recording gets its row when it
/// ends.</summary>
internal sealed class ActivityTable
{
    private readonly Column<long> _id;
    private readonly StringColumn _source;
    private readonly StringColumn _name;
    private readonly Column<long> _start;
    private readonly Column<int> _tid;
    private readonly Column<long> _threadLeft;
    private readonly Column<long> _end;
    private readonly Column<int> _endTid;
    private readonly StringColumn _trace;
    private readonly StringColumn _span;
    private readonly StringColumn _parent;
    private readonly Dictionary<string, int> _underWay = new(StringComparer.Ordinal);
    private readonly ActivityFlow _flow = new();

    public ActivityTable()
    {
        _id = Table.Int64("id");
        _source = Table.String("source");
        _name = Table.String("name");
        _start = Table.Int64("start");
        _tid = Table.Int32("tid");
        _threadLeft = Table.Int64("thread_left");
        _end = Table.Int64("end");
        _endTid = Table.Int32("end_tid");
        _trace = Table.String("trace_id");
        _span = Table.String("span_id");
        _parent = Table.String("parent_span_id");
    }

    public Table Table { get; } = Table.Create("activities");

    /// <param name="flow">Activity id of the start event.</param>
    public void Start(long time, int tid, Guid flow, in ActivityNames names)
    {
        _underWay[names.Span] = Table.Count;
        var beyond = _flow.Begins(tid, Table.Count, flow);
        Add(names);
        _start.Add(time);
        _tid.Add(tid);
        _end.Add(-1);
        _endTid.Add(-1);
        Left(time, beyond);
    }

    public void Stop(long time, int tid, in ActivityNames names)
    {
        if (_underWay.Remove(names.Span, out var row))
        {
            (_end[row], _endTid[row]) = (time, tid);
            _flow.Ends(_tid[row], row);
            return;
        }

        Add(names);
        _start.Add(-1);
        _tid.Add(-1);
        _end.Add(time);
        _endTid.Add(tid);
    }

    /// <summary>Records any event of a thread.</summary>
    /// <param name="flow">Activity id of the event; empty if it belongs to no known activity.</param>
    public void At(long time, int tid, Guid flow) => Left(time, _flow.Left(tid, flow));

    /// <summary>Records that a thread takes a work item, and so leaves all its earlier activities.</summary>
    public void TakesItem(long time, int tid) => Left(time, _flow.TakesItem(tid));

    private void Left(long time, IReadOnlyList<int> rows)
    {
        for (var at = 0; at < rows.Count; at++)
        {
            _threadLeft[rows[at]] = time;
        }
    }

    private void Add(in ActivityNames names)
    {
        _id.Add(Table.Count);
        _source.Add(names.Source);
        _name.Add(names.Name);
        _threadLeft.Add(-1);
        _trace.Add(names.Trace.Length > 0 ? names.Trace : null);
        _span.Add(names.Span);
        _parent.Add(names.Parent);
    }
}
