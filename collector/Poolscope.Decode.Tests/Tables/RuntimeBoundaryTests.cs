using Poolscope.Decode.Manifest;
using Poolscope.Decode.Pool;
using Poolscope.Decode.Sockets;
using Poolscope.Decode.Tasks;
using Poolscope.Decode.Waits;
using Poolscope.KernelEvents;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>The tables beside work_items when two times are equal, when nothing came before, and when ids
/// collide.</summary>
public sealed class RuntimeBoundaryTests
{
    [Theory]
    [InlineData(99, false)]
    [InlineData(100, true)]
    [InlineData(110, true)]
    [InlineData(111, false)]
    [InlineData(119, false)]
    [InlineData(120, true)]
    [InlineData(125, true)]
    [InlineData(126, false)]
    [InlineData(200, true)] // begins and does not end
    [InlineData(9_000, true)]
    public void The_runtime_is_suspended_from_a_beginning_to_its_end_inclusive(long time, bool expected)
    {
        var suspensions = new SuspensionTable();
        foreach (var (start, end) in new[] { (100L, 110L), (120L, 125L), (200L, -1L) })
        {
            suspensions.Begin(start, 1);
            if (end >= 0)
            {
                suspensions.End(end);
            }
        }

        Assert.Equal(expected, suspensions.IsSuspended(time));
    }

    [Fact]
    public void Without_suspensions_the_runtime_is_not_suspended() => Assert.False(new SuspensionTable().IsSuspended(0));

    [Theory]
    [InlineData("environment", "default", "default")]
    [InlineData("runtimeconfig", "environment", "runtimeconfig")]
    [InlineData("environment", "environment", "environment")]
    [InlineData("event", "event", "event")]
    [InlineData("look", "look", "look")]
    [InlineData("default", "unknown", "unknown")]
    [InlineData("a word of a later collector", "environment", "unknown")]
    public void Limits_are_as_firm_as_the_weaker_of_both(string min, string max, string expected)
    {
        var limits = new PoolLimitTable();
        var target = Captures.Manifests.Target(launched: true) with { MinThreads = new KnownValue(3, min), MaxThreads = new KnownValue(7, max) };

        limits.Finish(target, start: 5);

        Assert.Equal([$"5 3 7 {expected}"], TableRows.Of(limits.Table));
    }

    [Fact]
    public void Limits_that_are_told_at_the_very_start_leave_nothing_to_the_configuration()
    {
        var limits = new PoolLimitTable();
        limits.AddEvent(5, 4, 9);

        limits.Finish(Captures.Manifests.Target(launched: false), start: 5);

        Assert.Equal(["5 4 9 event"], TableRows.Of(limits.Table));
    }

    [Fact]
    public void A_thread_lives_from_its_start_to_its_exit_inclusive()
    {
        var threads = Table.Create("threads");
        foreach (var (tid, start, end) in new[] { (10, 100L, 200L), (10, 300L, 400L), (11, 0L, 50L) })
        {
            threads.Int32("tid").Add(tid);
            threads.Int64("start").Add(start);
            threads.Int64("end").Add(end);
            threads.Int32("pid").Add(1);
            threads.String("name").Add(null);
        }

        var exits = new ThreadExits(threads);

        Assert.Equal(
            [-1, 200, 200, -1, 400, 400, -1, 50],
            new[] { exits.Of(10, 99), exits.Of(10, 100), exits.Of(10, 200), exits.Of(10, 201), exits.Of(10, 300), exits.Of(10, 400), exits.Of(10, 401), exits.Of(11, 0) });
    }

    [Fact]
    public void Threads_that_wrote_events_are_rows_by_id_and_keep_the_time_of_their_creation()
    {
        var threads = new EventThreads();
        foreach (var tid in new[] { 0, 70, 6, 70, 6, 134 }) // 6, 70 and 134 share a slot of the threads seen last
        {
            threads.Seen(tid);
        }

        threads.Created(50, 7);
        threads.Seen(7);
        threads.Created(60, 70);

        Assert.Equal(
            ["0 99 - -1 -1", "6 99 - -1 -1", "7 99 - 50 -1", "70 99 - 60 -1", "134 99 - -1 -1"], TableRows.Of(threads.ToTable(99)));
    }

    [Fact]
    public void An_owner_of_a_lock_that_is_not_told_is_none()
    {
        var waits = new WaitTable();
        waits.ContentionBegin(100, 10, lockId: 5, ownerTid: 0);
        waits.ContentionEnd(110, 10);
        waits.ContentionEnd(120, 10); // of one from before the capture

        Assert.Equal(["10 100 110 contention 5 -1 -1"], TableRows.Of(waits.Table));
    }

    [Fact]
    public void The_end_of_another_task_s_wait_ends_none()
    {
        var waits = new TaskWaitTable();
        waits.End(90, 10, 40);
        waits.Begin(100, 10, taskId: 40, synchronous: true);
        waits.End(110, 10, 41);
        waits.End(120, 11, 40);

        Assert.Equal(["10 40 100 -1 synchronous"], TableRows.Of(waits.Table));
    }

    [Fact]
    public void A_worker_that_is_told_to_start_while_it_parks_parks_no_longer()
    {
        var workers = new WorkerTables();
        workers.ParkBegins(100, 10);
        workers.Started(200, 10);
        workers.Stopped(300, 10);
        workers.Ran(400, 10);
        workers.ApplyExits((tid, time) => tid == 10 && time == 0 ? 0 : -1);

        Assert.Equal(["10 -1 200", "10 200 300", "10 -1 0"], TableRows.Of(workers.Workers));
        Assert.Equal(["10 100 200"], TableRows.Of(workers.Parked));
    }

    [Theory]
    [InlineData(7, 9, -1)]
    [InlineData(7, 10, 10)]
    [InlineData(7, 11, 10)]
    [InlineData(7, 20, 20)]
    [InlineData(7, 29, 20)]
    [InlineData(7, 30, 30)]
    [InlineData(7, 99, 30)]
    [InlineData(8, 20, -1)]
    [InlineData(8, 25, 25)]
    [InlineData(9, 25, -1)] // sent nothing and read nothing
    public void A_thread_last_read_or_sent_at_a_time_or_before_it(int tid, long until, long expected)
    {
        var sockets = new SocketTables();
        sockets.Sent(10, 7, 1, 5);
        sockets.Read(20, 7, 1, 5);
        sockets.Sent(20, 7, 1, 5);
        sockets.Sent(20, 7, 1, 5);
        sockets.Sent(25, 8, 1, 5);
        sockets.Sent(30, 7, 1, 5);
        sockets.Finish([]);

        Assert.Equal(expected, sockets.LastTransfer(tid, until));
    }

    [Theory]
    [InlineData(TcpState.CloseWait)]
    [InlineData(TcpState.FinWait1)]
    public void What_a_connection_closes_with_tells_its_ends(TcpState after)
    {
        var ends = OpenConnection.Parse("2,accepted,127.0.0.1:5000,192.0.2.7:40000,0")!.Value.Endpoints;
        var sockets = new SocketTables();
        sockets.Sent(10, 7, 1, 5);
        sockets.Changed(20, -1, 1, TcpState.Established, after, ends);
        sockets.Finish([]);

        Assert.Equal(["0 unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1 -1"], TableRows.Of(sockets.Sockets));
    }
}
