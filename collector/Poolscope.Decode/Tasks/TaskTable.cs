using Poolscope.Decode.Growing;
using Poolscope.Tables;

namespace Poolscope.Decode.Tasks;

/// <summary>Table `tasks`: one row per task from its first event.</summary>
internal sealed class TaskTable
{
    private readonly SettlingColumn<int> _taskId;
    private readonly SettlingColumn<long> _scheduled;
    private readonly SettlingColumn<long> _started;
    private readonly SettlingColumn<long> _completed;
    private readonly SettlingColumn<int> _scheduledTid;
    private readonly SettlingColumn<int> _startedTid;
    private readonly SettlingColumn<int> _creatingTaskId;

    private readonly SettlingTable _table = new("tasks");

    // Only tasks that have not completed: a capture may hold millions.
    private readonly Dictionary<int, int> _open = [];

    public TaskTable()
    {
        _taskId = _table.Int32("task_id");
        _scheduled = _table.Int64("scheduled");
        _started = _table.Int64("started");
        _completed = _table.Int64("completed");
        _scheduledTid = _table.Int32("scheduled_tid");
        _startedTid = _table.Int32("started_tid");
        _creatingTaskId = _table.Int32("creating_task_id");
    }

    /// <inheritdoc cref="SettlingTable.ToTable"/>
    public Table ToTable() => _table.ToTable();

    public void Scheduled(long time, int tid, int taskId, int creatingTaskId)
    {
        var row = Row(taskId);
        _scheduled[row] = time;
        _scheduledTid[row] = tid;
        _creatingTaskId[row] = creatingTaskId == 0 ? -1 : creatingTaskId;
    }

    public void Started(long time, int tid, int taskId)
    {
        var row = Row(taskId);
        _started[row] = time;
        _startedTid[row] = tid;
    }

    /// <summary>A completion whose task was neither scheduled nor started in the capture makes no row.</summary>
    public void Completed(long time, int taskId)
    {
        if (_open.Remove(taskId, out var row))
        {
            _completed[row] = time;
        }
    }

    private int Row(int taskId)
    {
        if (!_open.TryGetValue(taskId, out var row))
        {
            row = _taskId.Count;
            _open.Add(taskId, row);
            _taskId.Add(taskId);
            _scheduled.Add(-1);
            _started.Add(-1);
            _completed.Add(-1);
            _scheduledTid.Add(-1);
            _startedTid.Add(-1);
            _creatingTaskId.Add(-1);
        }

        return row;
    }
}
