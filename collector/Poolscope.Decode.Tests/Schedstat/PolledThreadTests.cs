using Poolscope.Decode.Schedstat;
using Xunit;

namespace Poolscope.Decode.Tests.Schedstat;

/// <summary>Thread states from hand-written readings of polled counters (tier schedstat). The resolution of a mixed
/// step is its length.</summary>
public sealed class PolledThreadTests
{
    private const int Tid = 7;

    public static TheoryData<string, SchedstatRecord[], string> Cases() => new()
    {
        {
            "asleep all along: one row, exact",
            [Reading(10, 10, 0, 0, 1, 'S')],
            "blocked 10-100"
        },
        {
            "woken and running: asleep until then",
            [Reading(10, 10, 0, 0, 1, 'S'), Reading(30, 20, 4, 2, 2, 'R'), Reading(40, 30, 14, 2, 2, 'R'), Reading(50, 40, 20, 2, 2, 'S')],
            "blocked 10-24 (±10), ready 24-26 (±10), running 26-46 (±10), blocked 46-100 (±10)"
        },
        {
            "it ran and slept within one step: half of the rest before, half after",
            [Reading(10, 10, 0, 0, 1, 'S'), Reading(30, 20, 2, 2, 3, 'S')],
            "blocked 10-23 (±10), ready 23-25 (±10), running 25-27 (±10), blocked 27-100 (±10)"
        },
        {
            "runnable at both ends and slept in between: in the middle",
            [Reading(10, 10, 0, 0, 1, 'R'), Reading(20, 10, 3, 1, 2, 'R'), Reading(30, 20, 13, 1, 2, 'R')],
            "running 10-13 (±10), blocked 13-19 (±10), ready 19-20 (±10), running 20-30, ready 30-100"
        },
        {
            "the wait for a core is told when it is over: it reaches back over steps in which nothing moved",
            [Reading(10, 10, 5, 0, 1, 'R'), Reading(50, 40, 7, 35, 2, 'R'), Reading(60, 50, 7, 35, 2, 'S')],
            "ready 10-48 (±10), running 48-50 (±10), blocked 50-100"
        },
        {
            "it was woken unseen: the tail of the sleep was a wait, the head stays exact",
            [Reading(10, 10, 5, 0, 1, 'S'), Reading(80, 70, 7, 30, 2, 'S')],
            "blocked 10-48, ready 48-78 (±10), running 78-80 (±10), blocked 80-100"
        },
        {
            "seen asleep in between: what a reading brings beyond its step cannot be from before, and is dropped",
            [Reading(10, 10, 5, 0, 1, 'S'), Reading(20, 10, 6, 0, 2, 'S'), Reading(30, 20, 6, 25, 3, 'S')],
            "blocked 10-14 (±10), running 14-15 (±10), blocked 15-20 (±10), ready 20-30, blocked 30-100"
        },
        {
            "on a core without a tick: the counter lags and catches up",
            [Reading(10, 10, 0, 0, 1, 'R'), Reading(20, 10, 8, 0, 1, 'R'), Reading(30, 20, 20, 0, 1, 'R'), Reading(40, 30, 30, 0, 1, 'S')],
            "running 10-40, blocked 40-100"
        },
        {
            "born between two passes: its first step began with the pass that did not see it",
            [Reading(40, 30, 4, 0, 1, 'R') with { Kind = SchedstatRecordKind.Born }, Reading(50, 40, 14, 0, 1, 'S')],
            "blocked 30-36 (±10), running 36-50 (±10), blocked 50-100"
        },
        {
            "ended: nothing is known after its last reading",
            [Reading(10, 10, 0, 0, 1, 'R'), Reading(20, 10, 10, 0, 1, 'R'), Reading(40, 30, 0, 0, 0, '?') with { Kind = SchedstatRecordKind.Ended }],
            "running 10-20, ready 20-30"
        },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void Sums_become_states(string what, SchedstatRecord[] records, string expected)
    {
        Assert.NotEmpty(what);
        Assert.Equal(expected, States(records));
    }

    [Fact]
    public void An_id_that_is_used_again_is_another_thread_and_names_stay_apart()
    {
        var tables = new SchedstatTables(4711);
        tables.Add(Reading(10, 10, 1, 0, 1, 'S'));
        tables.Add(new SchedstatRecord(SchedstatRecordKind.Name, Tid, 10, 10, 0, 0, 0, '?', "first"));
        tables.Add(Reading(30, 20, 0, 0, 0, '?') with { Kind = SchedstatRecordKind.Ended });
        tables.Add(Reading(50, 40, 2, 0, 1, 'S') with { Kind = SchedstatRecordKind.Born });
        tables.Add(new SchedstatRecord(SchedstatRecordKind.Name, Tid, 50, 50, 0, 0, 0, '?', "second"));
        tables.Finish(100);

        var threads = tables.Threads;
        Assert.Equal(
            [(4711, "first", -1L, 30L), (4711, "second", 40L, -1L)],
            Enumerable.Range(0, threads.Count).Select(r => (threads.Int32("pid")[r], threads.String("name")[r]!, threads.Int64("start")[r], threads.Int64("end")[r])));
    }

    [Fact]
    public void Their_origin_is_schedstat()
    {
        var tables = new SchedstatTables(1);
        tables.Add(Reading(10, 10, 1, 0, 1, 'S'));
        tables.Finish(100);
        Assert.Equal("schedstat", tables.ThreadStates.Schema.Columns.Single(c => c.Name == "origin").Values![tables.ThreadStates.Enum("origin")[0]]);
    }

    private static SchedstatRecord Reading(long time, long previous, long run, long wait, long slices, char state) =>
        new(SchedstatRecordKind.Reading, Tid, time, previous, run, wait, slices, state);

    private static string States(SchedstatRecord[] records)
    {
        var tables = new SchedstatTables(1);
        foreach (var record in records)
        {
            tables.Add(record);
        }

        tables.Finish(100);
        var rows = tables.ThreadStates;
        var states = rows.Schema.Columns.Single(c => c.Name == "state").Values!;
        return string.Join(", ", Enumerable.Range(0, rows.Count).Select(row =>
        {
            var resolution = rows.Int64("resolution")[row];
            return $"{states[rows.Enum("state")[row]]} {rows.Int64("start")[row]}-{rows.Int64("end")[row]}{(resolution > 0 ? $" (±{resolution})" : "")}";
        }));
    }
}
