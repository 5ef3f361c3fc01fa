using Poolscope.Decode.Tests.Captures;
using Poolscope.Fuzz;
using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;
using Xunit;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>Stacks of an .etl file have the names that the runtime and the kernel report in it.</summary>
public sealed class EtlFramesTests
{
    [Fact]
    public void Blocks_and_waits_have_stacks_with_names()
    {
        var tables = Decode();
        Assert.Equal(
            [
                "App.Service.Handle app.dll resolved - -1 absent",
                "System.Threading.Monitor.Enter app.dll resolved - -1 absent",
                "+0x10 ntdll.dll native_offset - -1 absent",
            ],
            tables["frames"]);

        // A worker came back from a lock twelve times, shown by a key, and from its park ten times, shown by a stack.
        // The trace does not show where the two workers were before their first item.
        Assert.Equal(22, tables["snapshots"].Count);
        Assert.Equal(12, tables["waits"].Count);
        Assert.All(tables["waits"], row => Assert.DoesNotContain("-1 -1 -1 -1", row, StringComparison.Ordinal));
    }

    private static Dictionary<string, List<string>> Decode()
    {
        var format = FileFormats.Named("etl");
        using var bench = new Workbench(format);
        var seed = Seeds.Of(format, GoldenCapture.Goldens)[0];
        return bench.Read(seed, seed.File).Tables.ToDictionary(table => table.Schema.Name, table => TableRows.Of(table).ToList());
    }
}
