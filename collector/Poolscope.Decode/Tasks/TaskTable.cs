using Poolscope.Decode.Growing;
using Poolscope.Tables;

namespace Poolscope.Decode.Tasks;

/// <summary>Table `tasks`: one row per task, added by its first event.</summary>
internal sealed class TaskTable
{
    private readonly SettlingColumn<Row, long> _scheduled;
    private readonly SettlingColumn<Row, long> _started;
    private readonly SettlingColumn<Row, long> _completed;
    private readonly SettlingColumn<Row, int> _scheduledTid;
    private readonly SettlingColumn<Row, int> _startedTid;
    private readonly SettlingColumn<Row, int> _creatingTaskId;

    private readonly SettlingTable<Row> _table = new("tasks");

    // Only tasks that have not completed, because a capture may hold millions of tasks.
    private readonly Dictionary<int, int> _open = [];

    public TaskTable()
    {
        _table.Int32("task_id", nameof(Row.TaskId));
        _scheduled = _table.Int64("scheduled", nameof(Row.Scheduled));
        _started = _table.Int64("started", nameof(Row.Started));
        _completed = _table.Int64("completed", nameof(Row.Completed));
        _scheduledTid = _table.Int32("scheduled_tid", nameof(Row.ScheduledTid));
        _startedTid = _table.Int32("started_tid", nameof(Row.StartedTid));
        _creatingTaskId = _table.Int32("creating_task_id", nameof(Row.CreatingTaskId));
    }

    /// <inheritdoc cref="SettlingTable{TRow}.ToTable"/>
    public Table ToTable() => _table.ToTable();

    public void Scheduled(long time, int tid, int taskId, int creatingTaskId)
    {
        var row = RowOf(taskId);
        _scheduled[row] = time;
        _scheduledTid[row] = tid;
        _creatingTaskId[row] = creatingTaskId == 0 ? -1 : creatingTaskId;
    }

    public void Started(long time, int tid, int taskId)
    {
        var row = RowOf(taskId);
        _started[row] = time;
        _startedTid[row] = tid;
    }

    /// <summary>Records a completion. Adds no row if the capture contains neither the scheduling nor the start of the
    /// task.</summary>
    public void Completed(long time, int taskId)
    {
        if (_open.Remove(taskId, out var row))
        {
            _completed[row] = time;
        }
    }

    private int RowOf(int taskId)
    {
        if (!_open.TryGetValue(taskId, out var row))
        {
            row = _table.Add(new Row
            {
                TaskId = taskId,
                Scheduled = -1,
                Started = -1,
                Completed = -1,
                ScheduledTid = -1,
                StartedTid = -1,
                CreatingTaskId = -1,
            });
            _open.Add(taskId, row);
        }

        return row;
    }

    /// <summary>A row that may still change, with a field for each column.</summary>
    internal struct Row
    {
        public long Scheduled;
        public long Started;
        public long Completed;
        public int TaskId;
        public int ScheduledTid;
        public int StartedTid;
        public int CreatingTaskId;
    }
}
