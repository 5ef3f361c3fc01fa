using Poolscope.Decode.Scheduler;
using Poolscope.KernelEvents;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

public sealed class SchedulerTablesTests
{
    private const int S = 1;
    private const int Dead = 0x10;

    [Fact]
    public void Other_processes_have_no_blocked_rows_and_the_idle_task_none_at_all()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            e.ThreadName(0, 2, 8, "other");
            e.ThreadName(0, 0, 0, "swapper");
            e.Out(10, 8, S);
            e.Waking(20, 8);
            e.In(22, 8);
        });

        Assert.Equal("running 0-10, ready 20-22, running 22-100", Scripted.States(tables, 8));
        Assert.Equal("", Scripted.States(tables, 0));
        Assert.Empty(tables.RunningIntervals(8).ToArray());
    }

    [Fact]
    public void A_reused_thread_id_is_two_threads()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            e.Exit(10, 7);
            e.Out(11, 7, Dead);
            e.ThreadStart(50, 2, 7, 2);
            e.ThreadName(51, 2, 7, "other");
            e.WakeupNew(52, 7);
            e.In(53, 7);
        });

        Assert.Equal("running 0-11, ready 52-53, running 53-100", Scripted.States(tables, 7));
        var threads = tables.Threads;
        Assert.Equal([(7, 1, "seven", -1L, 11L), (7, 2, "other", 50L, -1L)], Enumerable.Range(0, threads.Count).Select(row => (
            threads.Int32("tid")[row],
            threads.Int32("pid")[row],
            threads.String("name")[row],
            threads.Int64("start")[row],
            threads.Int64("end")[row])));
        Assert.Equal([(0L, 11L), (52L, 52L), (53L, 100L)], tables.RunningIntervals(7).ToArray());
    }

    [Fact]
    public void A_new_thread_has_its_parents_name_until_it_takes_its_own()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            e.ThreadStart(10, Scripted.Target, 70, 7);
            e.ThreadStart(11, Scripted.Target, 71, 7);
            e.ThreadName(12, Scripted.Target, 71, ".NET TP Worker");
        });

        Assert.Equal(["seven", "seven", ".NET TP Worker"], Enumerable.Range(0, 3).Select(row => tables.Threads.String("name")[row]));
    }

    [Fact]
    public void Intervals_across_a_gap_say_how_far_they_may_be_off()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            e.In(10, 7);
            e.Lost(30, 45, 1, 12);
            e.Out(50, 7, S);
            e.Waking(60, 7);
            e.In(70, 7);
        });

        Assert.Equal("blocked 0-10, running 10-50 (±15), blocked 50-60, ready 60-70, running 70-100", Scripted.States(tables, 7));
    }

    [Fact]
    public void A_thread_that_vanished_from_its_CPU_in_a_gap_left_it_there()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            e.ThreadName(0, Scripted.Target, 8, "eight");
            e.In(10, 7);
            e.Lost(30, 45, 0, 12); // meanwhile 7 left CPU 0 and 8 came
            e.Out(50, 8, S);
            e.In(80, 7);
        });

        Assert.Equal("blocked 0-10, running 10-30, blocked 30-80 (±15), running 80-100", Scripted.States(tables, 7));
        Assert.Equal("running 0-50 (±15), blocked 50-100", Scripted.States(tables, 8));
    }

    [Fact]
    public void Losses_are_rows_and_a_cut_stream_ends_its_states()
    {
        var tables = new SchedulerTables(Scripted.Target, 0, 100);
        ISchedulerEvents events = tables;
        events.ThreadName(0, Scripted.Target, 7, "seven");
        events.In(10, 7);
        events.Lost(20, 25, 0, 3);
        tables.Finish(streamEnd: 60);
        var losses = Table.Create("losses");
        tables.AddLosses(losses);

        Assert.Equal("blocked 0-10, running 10-60 (±5)", Scripted.States(tables, 7));
        var names = losses.Schema.Columns.Single(c => c.Name == "what").Values!;
        Assert.Equal([("perf_lost", 20L, 25L, 3L), ("cut", 60L, 100L, -1L)], Enumerable.Range(0, losses.Count).Select(row => (
            names[losses.Enum("what")[row]], losses.Int64("start")[row], losses.Int64("end")[row], losses.Int64("count")[row])));
    }

    [Fact]
    public void A_switch_that_was_written_twice_has_one_row()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            for (var time = 1; time <= 2; time++)
            {
                e.Switch(10, 0, 7, 0, 8);
            }

            e.Switch(20, 0, 8, 0, 7);
        });

        Assert.Equal([10L, 20L], Enumerable.Range(0, tables.Switches.Count).Select(row => tables.Switches.Int64("time")[row]));
        Assert.Equal("running 0-10, ready 10-20, running 20-100", Scripted.States(tables, 7));
    }

    /// <summary>The first two are events that perf wrote for one thread's wake-up, byte for byte the same.</summary>
    [Fact]
    public void A_wakeup_that_the_kernel_delivered_twice_has_one_row()
    {
        var tables = Scripted.Run(50, 100, e =>
        {
            e.Wakeup(20, 0, WakeupEvent.Wakeup, -1, 8, 0);
            e.Wakeup(20, 0, WakeupEvent.Wakeup, -1, 8, 0);
            e.Wakeup(20, 0, WakeupEvent.Wakeup, -1, 9, 0);
            e.Wakeup(21, 0, WakeupEvent.Wakeup, -1, 9, 0);
        });

        Assert.Equal([(20L, 8), (20L, 9), (21L, 9)], Enumerable.Range(0, tables.Wakeups.Count)
            .Select(row => (tables.Wakeups.Int64("time")[row], tables.Wakeups.Int32("wakee_tid")[row])));
    }

    [Fact]
    public void Raw_rows_are_kept_as_recorded()
    {
        var tables = Scripted.Run(50, 100, e =>
        {
            e.Switch(10, 3, 7, S, 8);
            e.Wakeup(20, 2, WakeupEvent.WakeupNew, 7, 8, 1);
            e.Sample(30, 1, 1, 7, []);
        });

        Assert.Equal((10L, (short)3, 7, S, 8), (
            tables.Switches.Int64("time")[0],
            tables.Switches.Int16("cpu")[0],
            tables.Switches.Int32("prev_tid")[0],
            tables.Switches.Int32("prev_state")[0],
            tables.Switches.Int32("next_tid")[0]));
        var wakeups = tables.Wakeups;
        Assert.Equal("wakeup_new", wakeups.Schema.Columns.Single(c => c.Name == "event").Values![wakeups.Enum("event")[0]]);
        Assert.Equal((20L, 7, 8, (short)1), (
            wakeups.Int64("time")[0], wakeups.Int32("waker_tid")[0], wakeups.Int32("wakee_tid")[0], wakeups.Int16("target_cpu")[0]));
        Assert.Equal((30L, 7), (tables.CpuSamples.Int64("time")[0], tables.CpuSamples.Int32("tid")[0]));
    }

    /// <summary>The states of a target's thread have no gap and no overlap, even if events are nonsense, as after
    /// losses.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void States_of_the_target_cover_its_life_exactly(int seed)
    {
        var random = new Random(seed);
        var tables = Scripted.Run(1000, 9000, e =>
        {
            for (var time = 0L; time < 10_000; time += random.Next(3))
            {
                for (var named = 5; named < 9; named++)
                {
                    e.ThreadName(time, Scripted.Target, named, "t");
                }

                var tid = random.Next(5, 9);
                switch (random.Next(8))
                {
                    case 0: e.ThreadStart(time, Scripted.Target, tid, 1); break;
                    case 1: e.Exit(time, tid); break;
                    case 2: e.Lost(time - random.Next(5), time, random.Next(2), 1); break;
                    case 3 or 4: e.Wakeup(time, 0, (WakeupEvent)random.Next(3), 0, tid, 0); break;
                    default:
                        var state = new[] { 0, 1, 2, 0x100, 0x10 }[random.Next(random.Next(10) == 0 ? 5 : 4)];
                        e.Switch(time, random.Next(2), random.Next(2) * tid, state, random.Next(4, 9));
                        break;
                }
            }
        });

        var lives = Lives(tables);
        var states = tables.ThreadStates;
        Assert.True(states.Count > 100);
        var covered = 0L;
        for (var row = 0; row < states.Count; row++)
        {
            Assert.True(states.Int64("start")[row] < states.Int64("end")[row]);
            covered += states.Int32("tid")[row] is >= 5 and < 9 ? states.Int64("end")[row] - states.Int64("start")[row] : 0;
            if (row > 0)
            {
                Assert.True(
                    (states.Int32("tid")[row - 1], states.Int64("end")[row - 1]).CompareTo((states.Int32("tid")[row], states.Int64("start")[row])) <= 0);
            }
        }

        Assert.Equal(lives, covered);
    }

    private static long Lives(SchedulerTables tables)
    {
        var threads = tables.Threads;
        return Enumerable.Range(0, threads.Count)
            .Where(row => threads.Int32("pid")[row] == Scripted.Target)
            .Sum(row =>
            {
                var start = Math.Max(threads.Int64("start")[row], 1000);
                var end = threads.Int64("end")[row] < 0 ? 9000 : Math.Min(threads.Int64("end")[row], 9000);
                return Math.Max(0, end - start);
            });
    }

    [Fact]
    public void Throttled_samples_are_a_loss_that_makes_no_state_uncertain()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            e.In(10, 7);
            e.SamplesThrottled(20, 30, 0);
            e.Out(40, 7, 1);
            e.SamplesThrottled(50, -1, 1);
        });
        var losses = Table.Create("losses");
        tables.AddLosses(losses);

        Assert.Equal(["sched.perf.data 20 30 -1 throttled", "sched.perf.data 50 -1 -1 throttled"], TableRows.Of(losses));
        Assert.DoesNotContain("±", Scripted.States(tables, 7)["blocked 0-10".Length..], StringComparison.Ordinal);
    }
}
