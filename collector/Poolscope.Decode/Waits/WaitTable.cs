using Poolscope.Decode.Stacks;
using Poolscope.Tables;

namespace Poolscope.Decode.Waits;

/// <summary>Table `waits`. A contended lock waits inside its contention (events 81, 301, 302, 91), and both get a row.
/// The pool's gate and timer threads wait all the time; their waits are rows too, a few per second.</summary>
internal sealed class WaitTable
{
    private const byte Wait = 0;
    private const byte MonitorWait = 1;
    private const byte Contention = 2;

    private readonly Column<int> _tid;
    private readonly Column<long> _start;
    private readonly Column<long> _end;
    private readonly Column<byte> _kind;
    private readonly Column<long> _object;
    private readonly Column<int> _ownerTid;
    private readonly Column<int> _stack;
    private readonly OpenByThread _waits = new();
    private readonly OpenByThread _contentions = new();

    public WaitTable()
    {
        _tid = Table.Int32("tid");
        _start = Table.Int64("start");
        _end = Table.Int64("end");
        _kind = Table.Enum("kind");
        _object = Table.Int64("object");
        _ownerTid = Table.Int32("owner_tid");
        _stack = Table.Int32("stack");
    }

    public Table Table { get; } = Table.Create("waits");

    public void WaitBegin(long time, int tid, bool monitor, long obj) =>
        Begin(_waits, time, tid, monitor ? MonitorWait : Wait, obj, ownerTid: -1);

    public void WaitEnd(long time, int tid) => End(_waits, time, tid);

    public void ContentionBegin(long time, int tid, long lockId, int ownerTid) =>
        Begin(_contentions, time, tid, Contention, lockId, ownerTid == 0 ? -1 : ownerTid);

    public void ContentionEnd(long time, int tid) => End(_contentions, time, tid);

    /// <summary>Replaces managed thread ids of lock holders by OS thread ids.</summary>
    /// <param name="thread">Returns the OS thread that had a managed id at a time; -1 if unknown.</param>
    public void NameOwners(Func<int, long, int> thread)
    {
        for (var row = 0; row < Table.Count; row++)
        {
            if (_ownerTid[row] >= 0)
            {
                _ownerTid[row] = thread(_ownerTid[row], _start[row]);
            }
        }
    }

    /// <summary>Sets the stack of each wait.</summary>
    public void AddStacks(WaitStacks stacks)
    {
        foreach (var ((tid, contention), rows) in RowsByThread())
        {
            var found = stacks.Match(tid, contention, rows.ConvertAll(row => (_start[row], _end[row])));
            for (var i = 0; i < found.Length; i++)
            {
                _stack[rows[i]] = found[i];
            }
        }
    }

    private Dictionary<(int Tid, bool Contention), List<int>> RowsByThread()
    {
        var result = new Dictionary<(int, bool), List<int>>();
        for (var row = 0; row < Table.Count; row++)
        {
            var key = (_tid[row], _kind[row] == Contention);
            if (!result.TryGetValue(key, out var rows))
            {
                result.Add(key, rows = []);
            }

            rows.Add(row);
        }

        return result;
    }

    private void Begin(OpenByThread open, long time, int tid, byte kind, long obj, int ownerTid)
    {
        open.Push(tid, Table.Count);
        _tid.Add(tid);
        _start.Add(time);
        _end.Add(-1);
        _kind.Add(kind);
        _object.Add(obj);
        _ownerTid.Add(ownerTid);
        _stack.Add(-1);
    }

    /// <summary>Ends a wait. An end without a begin belongs to a wait from before the capture.</summary>
    private void End(OpenByThread open, long time, int tid)
    {
        if (open.TryPop(tid, out var row))
        {
            _end[row] = time;
        }
    }
}
