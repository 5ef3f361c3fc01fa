using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>Table `pool_changes`.</summary>
internal sealed class PoolChangeTable
{
    private readonly Column<long> _time;
    private readonly Column<int> _goal;
    private readonly Column<byte> _reason;
    private readonly Column<double> _throughput;
    private readonly Column<int> _tid;

    public PoolChangeTable()
    {
        _time = Table.Int64("time");
        _goal = Table.Int32("goal");
        _reason = Table.Enum("reason");
        _throughput = Table.Float64("throughput");
        _tid = Table.Int32("tid");
    }

    public Table Table { get; } = Table.Create("pool_changes");

    public void Add(long time, int tid, int goal, int reason, double throughput)
    {
        _time.Add(time);
        _goal.Add(goal);
        // The runtime's numbers are the schema's indices. A reason of a later runtime has no name yet, but fits into a
        // byte.
        _reason.Add((byte)reason);
        _throughput.Add(throughput);
        _tid.Add(tid);
    }
}
