using Poolscope.Decode.Runtime;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Decode.WorkItems;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>The tables hold one pool: a reference pool, once one has reported anything.</summary>
public sealed class ReferencePoolTests
{
    [Fact]
    public void What_the_runtime_s_pool_told_before_and_beside_a_reference_pool_is_counted_and_left_out()
    {
        var tables = new RuntimeTables();
        tables.PoolLimits(10, 2, 32767);
        tables.WorkerStart(20, 10);
        tables.Enqueue(30, 1, 100);
        tables.Dequeue(40, 10, 100);
        tables.PoolChange(50, 10, 3, 6, 0);
        tables.ReferencePool(name: null);
        tables.ReferencePool("rotor");
        tables.PoolLimits(60, 1, 9);
        tables.Enqueue(70, 1, 1);
        tables.OtherPoolItem(tid: 1);
        tables.OtherPoolItem(tid: 10);
        tables.WorkerStart(80, 20);
        tables.Dequeue(90, 20, 1);
        tables.WorkerPark(100, 20);
        tables.ReferencePool("rotor");

        tables.Finish(Manifests.Target(launched: true), start: 0, (_, _) => -1, running: null);

        Assert.Equal(new("Poolscope-ReferencePool", "rotor", 3), tables.Pool);
        Assert.Equal(1, tables.Items.Count);
        Assert.Equal((70, 90, 100), (tables.Items.Enqueue[0], tables.Items.Dequeue[0], tables.Items.End[0]));
        Assert.Equal(["60 1 9 event"], Rows(tables, "pool_limits"));
        Assert.Equal(["20 80 -1"], Rows(tables, "workers"));
        Assert.Empty(Rows(tables, "pool_changes"));
    }

    [Fact]
    public void The_runtime_s_own_pool_has_no_name()
    {
        var tables = new RuntimeTables();
        tables.Enqueue(30, 1, 100);

        Assert.Null(tables.Pool);
    }

    [Fact]
    public void Several_reference_pools_of_one_run_are_all_named()
    {
        var tables = new RuntimeTables();
        tables.ReferencePool("rotor");
        tables.ReferencePool("fixed:2");

        Assert.Equal("fixed:2, rotor", tables.Pool?.Name);
    }

    [Theory]
    [InlineData(false, 1_000_000 - ParkCorrection.SpinNs)]
    [InlineData(true, 1_000_000)]
    public void Only_the_runtime_s_workers_spin_before_they_park(bool reference, long end)
    {
        var tables = new RuntimeTables();
        if (reference)
        {
            tables.ReferencePool("fixed:1");
        }

        tables.Dequeue(500_000, 10, 1);
        tables.WorkerPark(1_000_000, 10);
        tables.Finish(Manifests.Target(launched: true), start: 0, (_, _) => -1, running: (_, _, _) => new[] { (0L, 2_000_000L) });

        Assert.Equal(end, tables.Items.End[0]);
        Assert.Equal(reference ? 0 : 1, tables.EndsCorrected);
    }

    [Fact]
    public void A_task_of_the_other_pool_is_not_tied_to_the_item_that_its_thread_queues_next()
    {
        var tables = new RuntimeTables();
        tables.ReferencePool("fixed:1");
        tables.TaskScheduled(10, 1, taskId: 5, creatingTaskId: 0, options: 0);
        tables.OtherPoolItem(tid: 1);
        tables.Enqueue(20, 1, 77);

        Assert.Equal(-1, tables.Items.TaskId[0]);
    }

    private static IReadOnlyList<string> Rows(RuntimeTables tables, string name) =>
        TableRows.Of(tables.Tables().Single(t => t.Schema.Name == name));
}
