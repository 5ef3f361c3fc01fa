using Poolscope.Decode.Waits;
using Poolscope.Tables;

namespace Poolscope.Decode.Tasks;

/// <summary>Table `task_waits`. TaskWaitEnd closes only synchronous waits: another thread fires the end of an await,
/// and the completion of the awaited task gives the same information.</summary>
internal sealed class TaskWaitTable
{
    private const byte SynchronousBehavior = 1;
    private const byte AsynchronousBehavior = 2;

    private readonly Column<int> _tid;
    private readonly Column<int> _taskId;
    private readonly Column<long> _start;
    private readonly Column<long> _end;
    private readonly Column<byte> _behavior;

    // A thread blocks on one task at a time. A task that it runs inline meanwhile may block it again.
    private readonly OpenByThread _open = new();

    public TaskWaitTable()
    {
        _tid = Table.Int32("tid");
        _taskId = Table.Int32("task_id");
        _start = Table.Int64("start");
        _end = Table.Int64("end");
        _behavior = Table.Enum("behavior");
    }

    public Table Table { get; } = Table.Create("task_waits");

    public void Begin(long time, int tid, int taskId, bool synchronous)
    {
        if (synchronous)
        {
            _open.Push(tid, Table.Count);
        }

        _tid.Add(tid);
        _taskId.Add(taskId);
        _start.Add(time);
        _end.Add(-1);
        _behavior.Add(synchronous ? SynchronousBehavior : AsynchronousBehavior);
    }

    public void End(long time, int tid, int taskId)
    {
        // Waits without an end (Informational sessions) stay lower on the stack, so only the top can be the one that
        // ends.
        if (_open.TryPeek(tid, out var row) && _taskId[row] == taskId)
        {
            _open.TryPop(tid, out _);
            _end[row] = time;
        }
    }
}
