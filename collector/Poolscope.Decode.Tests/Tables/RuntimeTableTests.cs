using Poolscope.Decode.Pool;
using Poolscope.Decode.Tasks;
using Poolscope.Decode.Waits;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>The tables beside work_items; rows are in the schema's column order.</summary>
public sealed class RuntimeTableTests
{
    [Fact]
    public void A_contended_lock_is_a_contention_with_a_wait_inside()
    {
        var waits = new WaitTable();
        waits.ContentionBegin(100, 10, lockId: 5, ownerTid: 11);
        waits.WaitBegin(110, 10, monitor: false, obj: 6);
        waits.WaitBegin(115, 12, monitor: true, obj: 7);
        waits.WaitEnd(120, 10);
        waits.ContentionEnd(130, 10);
        waits.WaitEnd(140, 13);

        Assert.Equal(
            ["10 100 130 contention 5 11 -1", "10 110 120 wait 6 -1 -1", "12 115 -1 monitor_wait 7 -1 -1"],
            TableRows.Of(waits.Table));
    }

    [Fact]
    public void A_worker_parks_until_its_next_dequeue_park_or_stop()
    {
        var workers = new WorkerTables();
        workers.Started(100, 10);
        workers.ParkBegins(110, 10);
        workers.Ran(200, 10);
        workers.ParkBegins(210, 10);
        workers.ParkBegins(220, 10);
        workers.Stopped(300, 10);
        workers.ParkBegins(310, 11);

        Assert.Equal(["10 100 300", "11 -1 -1"], TableRows.Of(workers.Workers));
        Assert.Equal(["10 110 200", "10 210 220", "10 220 300", "11 310 -1"], TableRows.Of(workers.Parked));
    }

    [Fact]
    public void A_thread_id_that_is_given_out_again_is_another_worker()
    {
        var workers = new WorkerTables();
        workers.Started(100, 10);
        workers.Stopped(200, 10);
        workers.Started(300, 10);
        workers.Started(400, 10);

        Assert.Equal(["10 100 200", "10 300 400", "10 400 -1"], TableRows.Of(workers.Workers));
    }

    [Fact]
    public void Workers_end_when_their_thread_exits()
    {
        var workers = new WorkerTables();
        workers.Started(100, 10);
        workers.ParkBegins(150, 10);
        workers.Started(200, 11);
        workers.ApplyExits((tid, _) => tid == 10 ? 500 : -1);

        Assert.Equal(["10 100 500", "11 200 -1"], TableRows.Of(workers.Workers));
        Assert.Equal(["10 150 500"], TableRows.Of(workers.Parked));
    }

    [Fact]
    public void A_thread_exit_is_found_by_id_and_moment()
    {
        var threads = Poolscope.Tables.Table.Create("threads");
        foreach (var (start, end) in new[] { (-1L, 100L), (200L, 300L), (400L, -1L) })
        {
            threads.Int32("tid").Add(10);
            threads.Int64("start").Add(start);
            threads.Int64("end").Add(end);
            threads.Int32("pid").Add(1);
            threads.String("name").Add(null);
        }

        var exits = new ThreadExits(threads);

        Assert.Equal([100, 300, -1, -1], new[] { exits.Of(10, 50), exits.Of(10, 250), exits.Of(10, 450), exits.Of(11, 50) });
    }

    [Fact]
    public void A_task_has_one_row_from_its_first_event_on()
    {
        var tasks = new TaskTable();
        tasks.Scheduled(100, 1, taskId: 40, creatingTaskId: 0);
        tasks.Started(110, 10, 41);
        tasks.Started(120, 11, 40);
        tasks.Completed(130, 40);
        tasks.Completed(140, 99);
        tasks.Scheduled(150, 1, 42, creatingTaskId: 40);

        Assert.Equal(
            ["40 100 120 130 1 11 -1", "41 -1 110 -1 -1 10 -1", "42 150 -1 -1 1 -1 40"], TableRows.Of(tasks.ToTable()));
    }

    [Fact]
    public void A_synchronous_task_wait_is_closed_where_its_end_is_seen()
    {
        var waits = new TaskWaitTable();
        waits.Begin(100, 10, taskId: 40, synchronous: true);
        waits.Begin(110, 10, taskId: 41, synchronous: true);
        waits.Begin(115, 11, taskId: 42, synchronous: false);
        waits.End(120, 10, 41);
        waits.End(125, 11, 42);
        waits.End(130, 10, 40);

        Assert.Equal(
            ["10 40 100 130 synchronous", "10 41 110 120 synchronous", "11 42 115 -1 asynchronous"], TableRows.Of(waits.Table));
    }

    [Fact]
    public void Suspensions_pair_across_threads_and_the_last_may_be_open()
    {
        var suspensions = new SuspensionTable();
        suspensions.End(50);
        suspensions.Begin(100, 1);
        suspensions.End(110);
        suspensions.End(115);
        suspensions.Begin(120, 0);

        Assert.Equal(["100 110 1", "120 -1 0"], TableRows.Of(suspensions.Table));
    }

    [Fact]
    public void Of_two_suspensions_that_overlap_the_first_ends_first()
    {
        var suspensions = new SuspensionTable();
        suspensions.Begin(100, 1);
        suspensions.Begin(140, 0); // another thread waits for its turn
        suspensions.End(150);
        suspensions.End(160);

        Assert.Equal(["100 150 1", "140 160 0"], TableRows.Of(suspensions.Table));
    }

    [Theory]
    [InlineData(true, false, "5 2 32767 runtimeconfig")]
    [InlineData(true, true, "100 4 9 event")]
    [InlineData(false, false, "5 2 32767 runtimeconfig")]
    [InlineData(false, true, "5 2 32767 runtimeconfig, 100 4 9 event")]
    public void Limits_come_from_the_event_and_before_it_from_the_configuration(bool launched, bool seen, string expected)
    {
        var limits = new PoolLimitTable();
        if (seen)
        {
            limits.AddEvent(100, 4, 9);
        }

        limits.Finish(Captures.Manifests.Target(launched), start: 5);

        Assert.Equal(expected, string.Join(", ", TableRows.Of(limits.Table)));
    }

    [Fact]
    public void Limits_that_were_told_before_the_stream_counts_are_firmer_than_the_configuration()
    {
        var limits = new PoolLimitTable();
        limits.AddEvent(100, 4, 9);
        limits.AddEvent(300, 6, 9);

        limits.Finish(Captures.Manifests.Target(launched: false), start: 200);

        Assert.Equal(["100 4 9 event", "300 6 9 event"], TableRows.Of(limits.Table));
    }

    [Fact]
    public void Hill_climbing_samples_know_their_throughput_only()
    {
        var table = new HillClimbingTable();
        table.AddSample(100, 2.5);
        table.AddStats(110, new(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));

        Assert.Equal(
            ["100 sample NaN 2.5 NaN NaN NaN NaN NaN NaN NaN -1", "110 stats 1 2 3 4 5 6 7 8 9 10"], TableRows.Of(table.Table));
    }
}
