using Poolscope.Decode.Runtime;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>A timer's callback belongs to one of its starts, and was due at a known time. Times here are in ms; the
/// columns of a row are timer_id, sent, due_in, period, due, fired, tid, item, sent_tid.</summary>
public sealed class TimerTableTests
{
    private const long Ms = 1_000_000;
    private const long Timer = 42;
    private const long Queue = 7;

    private readonly RuntimeTables _tables = new();

    [Fact]
    public void A_timer_is_due_after_its_time_and_runs_in_an_item()
    {
        Start(100, due: 50);
        Run(Queue, 150, 170);
        Fired(171);

        Expect("42 100 50 -1 150 171 10 0 1");
    }

    [Fact]
    public void A_timer_may_run_before_it_is_due_by_a_tick_of_its_clock()
    {
        Start(100, due: 50);
        Fired(135);

        Expect("42 100 50 -1 150 135 10 -1 1");
    }

    [Fact]
    public void A_periodic_timer_is_started_once_and_due_each_period_of_its_first_schedule()
    {
        Start(100, due: 50, period: 200);
        Fired(153);
        Fired(449);
        Fired(551);

        Expect("42 100 50 200 150 153 10 -1 1", "42 100 50 200 350 449 10 -1 1", "42 100 50 200 550 551 10 -1 1");
    }

    [Fact]
    public void The_runtime_leaves_out_periods_that_it_missed_as_a_whole()
    {
        Start(100, due: 50, period: 200);
        Run(Queue, 150, 900);
        Fired(900);
        Fired(903);

        Expect("42 100 50 200 150 900 10 0 1", "42 100 50 200 901 903 10 0 1");
    }

    [Fact]
    public void A_period_is_missed_when_that_is_noticed_and_not_when_the_callback_s_own_item_runs()
    {
        Start(100, due: 50, period: 200);
        Run(Timer, 151, 900);
        Fired(900);
        Run(Timer, 350, 901);
        Fired(902);

        Expect("42 100 50 200 150 900 10 0 1", "42 100 50 200 350 902 10 1 1");
    }

    [Fact]
    public void A_reference_pool_s_timer_has_a_callback_for_each_period()
    {
        _tables.ReferencePool("fixed:1");
        Start(100, due: 50, period: 200);
        Run(1, 500, 900);
        Fired(900);
        Fired(901);

        Expect("42 100 50 200 150 900 10 0 1", "42 100 50 200 350 901 10 0 1");
    }

    [Fact]
    public void A_changed_timer_is_due_by_its_last_change()
    {
        Start(100, due: 50);
        Start(120, due: 50, period: 1000);
        Start(140, due: 60);
        Fired(202);

        Expect("42 140 60 -1 200 202 10 -1 1");
    }

    [Fact]
    public void A_callback_that_was_on_its_way_when_its_timer_was_changed_belongs_to_the_start_before()
    {
        Start(100, due: 50);
        Start(1000, due: 300);
        Run(Timer, 151, 1400);
        Fired(1400);
        Run(Timer, 1301, 1450);
        Fired(1450);

        Expect("42 100 50 -1 150 1400 10 0 1", "42 1000 300 -1 1300 1450 10 1 1");
    }

    [Fact]
    public void A_timer_that_was_changed_while_it_was_late_did_not_run_late()
    {
        Start(100, due: 50);
        Start(1000, due: 300);
        Run(Queue, 151, 1400); // checks all timers, and finds this one due since 1300
        Fired(1400);
        Fired(1401);

        Expect("42 1000 300 -1 1300 1400 10 0 1", "42 -1 -1 -1 -1 1401 10 0 -1");
    }

    [Fact]
    public void A_periodic_timer_s_last_callback_on_its_way_ends_its_schedule()
    {
        Start(100, due: 50, period: 100);
        Start(160, due: 1000);
        Run(Timer, 151, 300);
        Fired(300);
        Run(Queue, 1160, 1162);
        Fired(1162);
        Fired(1200);

        Expect("42 100 50 100 150 300 10 0 1", "42 160 1000 -1 1160 1162 10 1 1", "42 -1 -1 -1 -1 1200 10 1 -1");
    }

    [Fact]
    public void Of_a_timer_that_was_started_before_the_capture_it_is_not_known_when_it_was_due()
    {
        Fired(100);
        Start(150, due: 50);
        Fired(202);

        Expect("42 -1 -1 -1 -1 100 10 -1 -1", "42 150 50 -1 200 202 10 -1 1");
    }

    [Fact]
    public void A_callback_long_before_it_is_due_is_another_timer_s_with_the_same_id()
    {
        Start(100, due: 50);
        Start(110, due: 500);
        Fired(152);
        Fired(611);

        Expect("42 -1 -1 -1 -1 152 10 -1 -1", "42 110 500 -1 610 611 10 -1 1");
    }

    [Fact]
    public void What_was_started_on_the_runtime_s_pool_is_not_a_reference_pool_s()
    {
        Start(100, due: 50);
        _tables.ReferencePool("rotor");
        Fired(152);

        Expect("42 -1 -1 -1 -1 152 10 -1 -1");
    }

    [Theory]
    [InlineData(134, "42 100 50 -1 150 134 10 -1 1")] // 16 ms before
    [InlineData(133, "42 -1 -1 -1 -1 133 10 -1 -1")]
    public void A_timer_runs_before_it_is_due_by_no_more_than_a_tick(long fired, string expected)
    {
        Start(100, due: 50);
        Fired(fired);

        Expect(expected);
    }

    [Fact]
    public void A_callback_may_run_at_the_moment_of_its_start()
    {
        Start(100, due: 0);
        Fired(100);
        Fired(101);

        Expect("42 100 0 -1 100 100 10 -1 1", "42 -1 -1 -1 -1 101 10 -1 -1");
    }

    [Fact]
    public void A_timer_that_is_changed_at_the_very_moment_it_is_due_may_still_run_for_it()
    {
        Start(100, due: 50);
        Start(150, due: 500);
        Run(Timer, 150, 160);
        Fired(160);
        Run(Timer, 650, 655);
        Fired(660);

        Expect("42 100 50 -1 150 160 10 0 1", "42 150 500 -1 650 660 10 1 1");
    }

    [Fact]
    public void A_period_may_be_a_millisecond()
    {
        Start(100, due: 1, period: 1);
        Fired(101);
        Fired(102);

        Expect("42 100 1 1 101 101 10 -1 1", "42 100 1 1 102 102 10 -1 1");
    }

    [Theory]
    [InlineData(349, "42 100 50 200 350 360 10 -1 1")]
    [InlineData(350, "42 100 50 200 351 360 10 -1 1")] // missed as a whole
    public void A_period_is_missed_from_the_moment_on_at_which_the_next_is_due(long noticed, string next)
    {
        Start(100, due: 50, period: 200);
        Fired(noticed);
        Fired(360);

        Expect($"42 100 50 200 150 {noticed} 10 -1 1", next);
    }

    private void Start(long time, uint due, uint period = 0) => _tables.TimerStarted(time * Ms, 1, Timer, due, period);

    private void Fired(long time) => _tables.TimerFired(time * Ms, 10, Timer);

    private void Run(long workId, long enqueue, long dequeue)
    {
        _tables.Enqueue(enqueue * Ms, 1, workId);
        _tables.Dequeue(dequeue * Ms, 10, workId);
    }

    /// <param name="rows">Expected rows, with times in ms.</param>
    private void Expect(params string[] rows)
    {
        _tables.Finish(Manifests.Target(launched: true), start: 0, (_, _) => -1, running: null);
        var table = _tables.Tables().Single(t => t.Schema.Name == "timers");
        Assert.Equal(rows, TableRows.Of(table).Select(row => row.Replace("000000 ", " ", StringComparison.Ordinal)));
    }
}
