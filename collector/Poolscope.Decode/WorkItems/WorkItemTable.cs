using Poolscope.Decode.Growing;
using Poolscope.Tables;

namespace Poolscope.Decode.WorkItems;

/// <summary>Table `work_items` under construction. The first event of an item adds its row, so rows are in the order
/// that the schema requires.</summary>
internal sealed class WorkItemTable
{
    private readonly SettlingTable<Row> _table = new("work_items");
    private readonly SettlingColumn<Row, byte> _enqueueKnown;
    private readonly SettlingColumn<Row, byte> _dequeueKnown;
    private readonly SettlingColumn<Row, byte> _endKnown;
    private readonly SettlingColumn<Row, byte> _kind;
    private readonly SettlingColumn<Row, ushort> _flags;

    // In no table. The last time at which the thread did something that only an item does: the item lasted at least
    // until then.
    private readonly SettlingColumn<Row, long> _acted;

    public WorkItemTable()
    {
        _table.Int64("id", nameof(Row.Id));
        Enqueue = _table.Int64("enqueue", nameof(Row.Enqueue));
        Dequeue = _table.Int64("dequeue", nameof(Row.Dequeue));
        End = _table.Int64("end", nameof(Row.End));
        _enqueueKnown = _table.Enum("enqueue_known", nameof(Row.EnqueueKnown));
        _dequeueKnown = _table.Enum("dequeue_known", nameof(Row.DequeueKnown));
        _endKnown = _table.Enum("end_known", nameof(Row.EndKnown));
        EnqueueTid = _table.Int32("enqueue_tid", nameof(Row.EnqueueTid));
        WorkerTid = _table.Int32("worker_tid", nameof(Row.WorkerTid));
        _kind = _table.Enum("kind", nameof(Row.Kind));
        WorkId = _table.Int64("work_id", nameof(Row.WorkId));
        TaskId = _table.Int32("task_id", nameof(Row.TaskId));
        Parent = _table.Int64("parent", nameof(Row.Parent));
        _flags = _table.Flags("flags", nameof(Row.Flags));
        _acted = _table.Add(new Column<long>("acted", packs: true), nameof(Row.Acted));
    }

    public SettlingColumn<Row, long> Enqueue { get; }

    public SettlingColumn<Row, long> Dequeue { get; }

    public SettlingColumn<Row, long> End { get; }

    public SettlingColumn<Row, int> EnqueueTid { get; }

    public SettlingColumn<Row, int> WorkerTid { get; }

    public SettlingColumn<Row, long> WorkId { get; }

    public SettlingColumn<Row, int> TaskId { get; }

    public SettlingColumn<Row, long> Parent { get; }

    public int Count => _table.Count;

    /// <inheritdoc cref="SettlingTable{TRow}.ToTable"/>
    public Table ToTable() => _table.ToTable();

    /// <summary>Adds an item with only its work id known.</summary>
    /// <returns>The row of the item.</returns>
    public int Add(long workId) => Add(workId, -1, -1, -1, EnqueueKnown.Absent);

    /// <summary>Adds an item with a recorded enqueue.</summary>
    /// <param name="parent">Row of the item that queued it; -1 if none.</param>
    /// <returns>The row of the item.</returns>
    public int Add(long workId, long time, int tid, long parent) => Add(workId, time, tid, parent, EnqueueKnown.Event);

    private int Add(long workId, long enqueue, int tid, long parent, EnqueueKnown known) => _table.Add(new Row
    {
        Id = Count,
        Enqueue = enqueue,
        Dequeue = -1,
        End = -1,
        EnqueueKnown = (byte)known,
        DequeueKnown = (byte)DequeueKnown.Absent,
        EndKnown = (byte)EndKnown.Absent,
        EnqueueTid = tid,
        WorkerTid = -1,
        Kind = (byte)ItemKind.Other,
        WorkId = workId,
        TaskId = -1,
        Parent = parent,
        Flags = (ushort)ItemFlags.None,
        Acted = -1,
    });

    public void SetDequeue(int row, long time, int tid, DequeueKnown known)
    {
        Dequeue[row] = time;
        WorkerTid[row] = tid;
        _dequeueKnown[row] = (byte)known;
    }

    /// <summary>Records that the item's thread did something that only an item does.</summary>
    public void Acted(int row, long time) => _acted[row] = time;

    /// <summary>Returns the latest time passed to <see cref="Acted"/>, ns; -1 if none.</summary>
    public long LastActed(int row) => _acted[row];

    public void SetEnd(int row, long time, EndKnown known)
    {
        End[row] = time;
        _endKnown[row] = (byte)known;
        if (known is EndKnown.NextDequeue or EndKnown.ThreadStop or EndKnown.ThreadExit && _acted[row] >= 0)
        {
            _acted[row] = -1; // not read again, because such an end is exact and final
        }
    }

    /// <summary>Moves the end of an item that ended by a park event.</summary>
    public void CorrectEnd(int row, long time)
    {
        End[row] = time;
        AddFlag(row, ItemFlags.EndCorrected);
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

    /// <summary>Copies how consecutive items were recorded, from a row on, until the spans are full or no more are
    /// left.</summary>
    /// <param name="enqueued">Values of <see cref="EnqueueKnown"/>; the other spans have the same length.</param>
    /// <returns>The number of copied items.</returns>
    public int CopyKnown(int row, Span<byte> enqueued, Span<byte> dequeued, Span<ushort> flags)
    {
        _table.ToTable();
        _enqueueKnown.CopyTo(row, enqueued);
        _dequeueKnown.CopyTo(row, dequeued);
        return _flags.CopyTo(row, flags);
    }

    /// <summary>Copies how consecutive items ended, from a row on, until the span is full or no more are
    /// left.</summary>
    /// <param name="ended">Values of <see cref="EndKnown"/>.</param>
    /// <returns>The number of copied items.</returns>
    public int CopyEnds(int row, Span<byte> ended)
    {
        _table.ToTable();
        return _endKnown.CopyTo(row, ended);
    }

    /// <summary>Exchanges the runs of two items that were confused at their dequeue.</summary>
    public void SwapRuns(int one, int other)
    {
        Swap(Dequeue, one, other);
        Swap(End, one, other);
        Swap(WorkerTid, one, other);
        Swap(_dequeueKnown, one, other);
        Swap(_endKnown, one, other);
        Swap(_acted, one, other);
    }

    private static void Swap<T>(SettlingColumn<Row, T> column, int one, int other)
        where T : unmanaged => (column[one], column[other]) = (column[other], column[one]);

    /// <summary>A row that may still change, with a field for each column.</summary>
    internal struct Row
    {
        public long Id;
        public long Enqueue;
        public long Dequeue;
        public long End;
        public long WorkId;
        public long Parent;
        public long Acted;
        public int EnqueueTid;
        public int WorkerTid;
        public int TaskId;
        public ushort Flags;
        public byte EnqueueKnown;
        public byte DequeueKnown;
        public byte EndKnown;
        public byte Kind;
    }
}
