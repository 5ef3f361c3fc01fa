using Poolscope.Tables;

namespace Poolscope.Decode.WorkItems;

/// <summary>Table `work_items` under construction. A row is added by the first event of its item, so rows come in the
/// order that the schema asks for.</summary>
internal sealed class WorkItemTable
{
    private readonly Column<long> _id;
    private readonly Column<byte> _enqueueKnown;
    private readonly Column<byte> _dequeueKnown;
    private readonly Column<byte> _endKnown;
    private readonly Column<byte> _kind;
    private readonly Column<ushort> _flags;

    // No column: by what its thread did an item is known to have lasted until then.
    private readonly List<long> _acted = [];

    public WorkItemTable()
    {
        _id = Table.Int64("id");
        Enqueue = Table.Int64("enqueue");
        Dequeue = Table.Int64("dequeue");
        End = Table.Int64("end");
        _enqueueKnown = Table.Enum("enqueue_known");
        _dequeueKnown = Table.Enum("dequeue_known");
        _endKnown = Table.Enum("end_known");
        EnqueueTid = Table.Int32("enqueue_tid");
        WorkerTid = Table.Int32("worker_tid");
        _kind = Table.Enum("kind");
        WorkId = Table.Int64("work_id");
        TaskId = Table.Int32("task_id");
        Parent = Table.Int64("parent");
        _flags = Table.Flags("flags");
    }

    public Table Table { get; } = Table.Create("work_items");

    public Column<long> Enqueue { get; }

    public Column<long> Dequeue { get; }

    public Column<long> End { get; }

    public Column<int> EnqueueTid { get; }

    public Column<int> WorkerTid { get; }

    public Column<long> WorkId { get; }

    public Column<int> TaskId { get; }

    public Column<long> Parent { get; }

    public int Count => _id.Count;

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

    private static void Swap<T>(Column<T> column, int one, int other)
        where T : unmanaged => (column[one], column[other]) = (column[other], column[one]);
}
