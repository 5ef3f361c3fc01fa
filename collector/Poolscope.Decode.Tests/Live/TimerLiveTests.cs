using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>Real timers of this process, of each kind with reports of its own.</summary>
[Collection(nameof(LiveTests))]
[Trait("live", "yes")]
public sealed class TimerLiveTests
{
    private const long Ms = 1_000_000;
    private const int Ticks = 5;
    private const int Together = 13;

    [Fact]
    public void Every_callback_is_a_row_with_the_moment_at_which_it_was_due()
    {
        using var capture = new OwnCapture(() =>
        {
            var ticks = 0;
            using var ticked = new ManualResetEvent(false);
            using var gone = new ManualResetEvent(false);
            using var ticking = new Timer(_ => _ = Interlocked.Increment(ref ticks) == Ticks && ticked.Set(), null, 70, 110);
            ticked.WaitOne();
            ticking.Dispose(gone);
            gone.WaitOne();

            using var changed = new ManualResetEventSlim();
            using var timer = new Timer(_ => changed.Set(), null, 130, Timeout.Infinite);
            timer.Change(170, Timeout.Infinite);
            changed.Wait();

            using var stopped = new Timer(_ => { }, null, 190, Timeout.Infinite);
            stopped.Change(Timeout.Infinite, Timeout.Infinite);

            using var all = new CountdownEvent(Together);
            var timers = Enumerable.Range(0, Together).Select(_ => new Timer(_ => all.Signal(), null, 230, 0)).ToList();
            all.Wait();
            timers.ForEach(t => t.Dispose());
        });

        var tables = capture.ReadTables();
        var table = tables.Tables().Single(t => t.Schema.Name == "timers");
        int[] Rows(long dueIn) => [.. Enumerable.Range(0, table.Count).Where(row => table.Int64("due_in")[row] == dueIn)];

        var periodic = Rows(70);
        Assert.InRange(periodic.Length, Ticks, Ticks + 2);
        Assert.All(periodic, row => Assert.Equal(110, table.Int64("period")[row]));
        Assert.Single(periodic.Select(row => table.Int64("sent")[row]).Distinct());
        Assert.Empty(Rows(130));
        Assert.Single(Rows(170));
        Assert.Empty(Rows(190));
        Assert.Equal(Together, Rows(230).Length);

        int[] mine = [.. periodic, .. Rows(170), .. Rows(230)];
        Assert.All(mine, row =>
        {
            // A starved machine may be late, but no timer runs earlier than a tick of the clock.
            Assert.InRange(table.Int64("fired")[row] - table.Int64("due")[row], -16 * Ms, 2000 * Ms);
            var item = (int)table.Int64("item")[row];
            Assert.InRange(table.Int64("fired")[row], tables.Items.Dequeue[item], capture.End);
            Assert.Equal(tables.Items.WorkerTid[item], table.Int32("tid")[row]);
        });

        // The first of several timers due together runs in the item that found it due, the others in their own items
        // under that one.
        var own = mine.Where(row => tables.Items.WorkId[(int)table.Int64("item")[row]] == table.Int64("timer_id")[row]).ToList();
        Assert.InRange(own.Count, 1, Together);
        Assert.All(own, row => Assert.True(tables.Items.Parent[(int)table.Int64("item")[row]] >= 0));
    }
}
