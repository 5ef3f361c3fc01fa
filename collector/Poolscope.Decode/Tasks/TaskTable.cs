using Poolscope.Tables;

namespace Poolscope.Decode.Tasks;

/// <summary>Table `tasks`: one row per task from its first event.</summary>
internal sealed class TaskTable
{
    private readonly Column<int> _taskId;
    private readonly Column<long> _scheduled;
    private readonly Column<long> _started;
    private readonly Column<long> _completed;
    private readonly Column<int> _scheduledTid;
    private readonly Column<int> _startedTid;
    private readonly Column<int> _creatingTaskId;

    // Only tasks that have not completed: a capture may hold millions.
    private readonly Dictionary<int, int> _open = [];

    public TaskTable()
    {
        _taskId = Table.Int32("task_id");
        _scheduled = Table.Int64("scheduled");
        _started = Table.Int64("started");
        _completed = Table.Int64("completed");
        _scheduledTid = Table.Int32("scheduled_tid");
        _startedTid = Table.Int32("started_tid");
        _creatingTaskId = Table.Int32("creating_task_id");
    }

    public Table Table { get; } = Table.Create("tasks");

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
            row = Table.Count;
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
