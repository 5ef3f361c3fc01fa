using Poolscope.Decode.Growing;
using Poolscope.Tables;

namespace Poolscope.Decode.WorkItems;

/// <summary>Table `work_items` under construction. A row is added by the first event of its item, so rows come in the
/// order that the schema asks for.</summary>
internal sealed class WorkItemTable
{
    private readonly SettlingColumn<long> _id;
    private readonly SettlingColumn<byte> _enqueueKnown;
    private readonly SettlingColumn<byte> _dequeueKnown;
    private readonly SettlingColumn<byte> _endKnown;
    private readonly SettlingColumn<byte> _kind;
    private readonly SettlingColumn<ushort> _flags;

    // In no table: by what its thread did an item is known to have lasted until then.
    private readonly SettlingColumn<long> _acted = new(new Column<long>("acted", packs: true));

    private readonly SettlingTable _table = new("work_items");

    public WorkItemTable()
    {
        _id = _table.Int64("id");
        Enqueue = _table.Int64("enqueue");
        Dequeue = _table.Int64("dequeue");
        End = _table.Int64("end");
        _enqueueKnown = _table.Enum("enqueue_known");
        _dequeueKnown = _table.Enum("dequeue_known");
        _endKnown = _table.Enum("end_known");
        EnqueueTid = _table.Int32("enqueue_tid");
        WorkerTid = _table.Int32("worker_tid");
        _kind = _table.Enum("kind");
        WorkId = _table.Int64("work_id");
        TaskId = _table.Int32("task_id");
        Parent = _table.Int64("parent");
        _flags = _table.Flags("flags");
    }

    public SettlingColumn<long> Enqueue { get; }

    public SettlingColumn<long> Dequeue { get; }

    public SettlingColumn<long> End { get; }

    public SettlingColumn<int> EnqueueTid { get; }

    public SettlingColumn<int> WorkerTid { get; }

    public SettlingColumn<long> WorkId { get; }

    public SettlingColumn<int> TaskId { get; }

    public SettlingColumn<long> Parent { get; }

    public int Count => _id.Count;

    /// <inheritdoc cref="SettlingTable.ToTable"/>
    public Table ToTable() => _table.ToTable();

    /// <summary>Adds an item of which nothing but its work id is known yet.</summary>
    /// <returns>Its row.</returns>
    public int Add(long workId) => Add(workId, -1, -1, -1, EnqueueKnown.Absent);

    /// <summary>Adds an item whose enqueue was seen.</summary>
    /// <param name="parent">Row of the item that queued it; -1: none.</param>
    /// <returns>Its row.</returns>
    public int Add(long workId, long time, int tid, long parent) => Add(workId, time, tid, parent, EnqueueKnown.Event);

    private int Add(long workId, long enqueue, int tid, long parent, EnqueueKnown known)
    {
        var row = Count;
        _id.Add(row);
        Enqueue.Add(enqueue);
        Dequeue.Add(-1);
        End.Add(-1);
        _enqueueKnown.Add((byte)known);
        _dequeueKnown.Add((byte)DequeueKnown.Absent);
        _endKnown.Add((byte)EndKnown.Absent);
        EnqueueTid.Add(tid);
        WorkerTid.Add(-1);
        _kind.Add((byte)ItemKind.Other);
        WorkId.Add(workId);
        TaskId.Add(-1);
        Parent.Add(parent);
        _flags.Add((ushort)ItemFlags.None);
        _acted.Add(-1);
        return row;
    }

    public void SetDequeue(int row, long time, int tid, DequeueKnown known)
    {
        Dequeue[row] = time;
        WorkerTid[row] = tid;
        _dequeueKnown[row] = (byte)known;
    }

    /// <summary>The item's thread did what only an item does.</summary>
    public void Acted(int row, long time) => _acted[row] = time;

    /// <summary>The latest of <see cref="Acted"/>, ns; -1: none.</summary>
    public long LastActed(int row) => _acted[row];

    public void SetEnd(int row, long time, EndKnown known)
    {
        End[row] = time;
        _endKnown[row] = (byte)known;
        if (known is EndKnown.NextDequeue or EndKnown.ThreadStop or EndKnown.ThreadExit && _acted[row] >= 0)
        {
            _acted[row] = -1; // nobody asks any more: such an end is exact, and stays
        }
    }

    /// <summary>Ties the item to a task, or unties it (-1).</summary>
    public void SetTask(int row, int taskId)
    {
        TaskId[row] = taskId;
        _kind[row] = (byte)(taskId < 0 ? ItemKind.Other : ItemKind.Task);
    }

    public EnqueueKnown HowEnqueued(int row) => (EnqueueKnown)_enqueueKnown[row];

    public DequeueKnown HowDequeued(int row) => (DequeueKnown)_dequeueKnown[row];

    public EndKnown HowEnded(int row) => (EndKnown)_endKnown[row];

    public ItemFlags Flags(int row) => (ItemFlags)_flags[row];

    public bool Has(int row, ItemFlags flag) => (Flags(row) & flag) != 0;

    public void AddFlag(int row, ItemFlags flag) => _flags[row] |= (ushort)flag;

    /// <summary>Exchanges what is known of the runs of two items: they were taken for each other when dequeued.</summary>
    public void SwapRuns(int one, int other)
    {
        Swap(Dequeue, one, other);
        Swap(End, one, other);
        Swap(WorkerTid, one, other);
        Swap(_dequeueKnown, one, other);
        Swap(_endKnown, one, other);
        (_acted[one], _acted[other]) = (_acted[other], _acted[one]);
    }

    private static void Swap<T>(SettlingColumn<T> column, int one, int other)
        where T : unmanaged => (column[one], column[other]) = (column[other], column[one]);
}
