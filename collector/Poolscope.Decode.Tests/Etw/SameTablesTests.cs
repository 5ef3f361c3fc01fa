using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>One scenario gives the same tables when Linux or Windows reports it.</summary>
public sealed class SameTablesTests
{
    // Columns that only one of the systems can fill.
    private static readonly Dictionary<string, string> Untold = new()
    {
        ["thread_states"] = "origin",
        ["wakeups"] = "target_cpu",
        ["sockets"] = "opened", // for connections that the target opened
    };

    // Tables of data on connections, which the systems report differently.
    private static readonly string[] Different = ["socket_io", "socket_reports"];

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

        Assert.Equal(Different[0], Assert.Single(expected.Select(t => t.Schema.Name).Except(actual.Keys)));
        Assert.Equal(Different[1], Assert.Single(actual.Keys.Except(expected.Select(t => t.Schema.Name))));
        foreach (var table in expected.Where(t => t.Schema.Name != Different[0]))
        {
            Assert.NotEmpty(Comparable(table));
            Assert.Equal(Comparable(table), Comparable(actual[table.Schema.Name]));
        }
    }

    [Theory]
    [InlineData(8, false)]
    [InlineData(8, true)]
    [InlineData(4, false)]
    [InlineData(4, true)]
    public void An_etl_file_of_the_scenario_gives_the_same_tables(int pointerSize, bool compressed)
    {
        var windows = new WindowsSystem(pointerSize);
        var file = new EtlSystem(pointerSize, compressed);
        Scenario.Play(windows);
        Scenario.Play(file);

        var actual = file.Tables().ToDictionary(t => t.Schema.Name);

        Assert.All(windows.Tables(), table => Assert.Equal(TableRows.Of(table), TableRows.Of(actual[table.Schema.Name])));
    }

    [Fact]
    public void The_scenario_holds_what_it_is_for()
    {
        var windows = new WindowsSystem(8);
        Scenario.Play(windows);
        var tables = windows.Tables().ToDictionary(t => t.Schema.Name);

        Assert.Equal(3, tables["work_items"].Count);
        Assert.Equal(["72 12000 1 -1 1012000 1290000 112 1 104"], TableRows.Of(tables["timers"]));
        Assert.Equal(["0 28000 108 C1 HTTP/1.1 GET /orders 28000 1230000 108 1245000 108"], TableRows.Of(tables["requests"]));
        Assert.Equal(["0 42000 112 http db 5432 /rows HTTP/1.1 -1 -1 -1 46000 7 45000 390000 112 200 answered"], TableRows.Of(tables["calls"]));
        Assert.Equal(
            ["0 accepted 127.0.0.1:5000 192.0.2.7:40000 6000 1500000 -1", "1 connected [::1]:40001 [2001:db8::9]:5432 -1 -1 -1"],
            TableRows.Of(tables["sockets"]));
        Assert.Equal(
            ["9000 0 received 80", "47000 1 transmitted 60", "90000 1 received 900", "1240000 0 transmitted 300"],
            TableRows.Of(tables["socket_reports"]));
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
            .Where(values => name != "wakeups" || values[2] != "wakeup") // Linux shows a wake-up's end as well
            .Select(values => string.Join(' ', values.Where((_, at) => at != without)));
    }
}
