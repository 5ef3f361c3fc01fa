using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>One scenario, told by Linux and by Windows, gives the same tables.</summary>
public sealed class SameTablesTests
{
    // What only one of the systems can tell.
    private static readonly Dictionary<string, string> Untold = new()
    {
        ["thread_states"] = "origin",
        ["wakeups"] = "target_cpu",
    };

    [Theory]
    [InlineData(8)]
    [InlineData(4)]
    public void Windows_and_Linux_give_the_same_tables(int pointerSize)
    {
        var linux = new LinuxSystem();
        var windows = new WindowsSystem(pointerSize);
        Scenario.Play(linux);
        Scenario.Play(windows);

        var expected = linux.Tables();
        var actual = windows.Tables().ToDictionary(t => t.Schema.Name);

        Assert.Equal(expected.Select(t => t.Schema.Name).Order(), actual.Keys.Order());
        foreach (var table in expected)
        {
            Assert.NotEmpty(Comparable(table));
            Assert.Equal(Comparable(table), Comparable(actual[table.Schema.Name]));
        }
    }

    [Fact]
    public void The_scenario_holds_what_it_is_for()
    {
        var windows = new WindowsSystem(8);
        Scenario.Play(windows);
        var tables = windows.Tables().ToDictionary(t => t.Schema.Name);

        Assert.Equal(3, tables["work_items"].Count);
        Assert.Equal(["72 12000 1 -1 1012000 1290000 112 1"], TableRows.Of(tables["timers"]));
        Assert.Equal(
            ["etw"],
            TableRows.Of(tables["thread_states"]).Select(row => row.Split(' ')[4]).Distinct());
        Assert.Equal(
            [
                "108 0 21000 blocked etw 0",
                "108 21000 25000 ready etw 0",
                "108 25000 101000 running etw 0",
                "108 101000 200000 ready etw 0",
                "108 200000 300000 running etw 0",
                "108 300000 350000 ready etw 0",
                "108 350000 1260000 running etw 0",
                "108 1260000 5000000 blocked etw 0",
            ],
            TableRows.Of(tables["thread_states"]).Where(row => row.StartsWith("108 ", StringComparison.Ordinal)));
    }

    private static IEnumerable<string> Comparable(Table table)
    {
        var name = table.Schema.Name;
        var without = Untold.TryGetValue(name, out var column) ? table.Schema.Columns.ToList().FindIndex(c => c.Name == column) : -1;
        return TableRows.Of(table)
            .Select(row => row.Split(' '))
            .Where(values => name != "wakeups" || values[2] != "wakeup") // Linux tells a wake-up's end as well
            .Select(values => string.Join(' ', values.Where((_, at) => at != without)));
    }
}
