using Poolscope.Decode.Captures;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public sealed class LostCpuStreamTests
{
    [Fact]
    public void Rows_are_what_the_counters_grew_by_and_never_less_than_nothing()
    {
        var rows = Rows(
        [
            LostCpuStream.Header,
            "1000,50,7",
            "2000,80,7",
            "3000,70,9", // a CPU went offline
            "3000,75,9", // the last look came at once
            "4000,75,12",
            "5000,80", // cut
        ]);

        Assert.Equal([(1000, 2000, 30, 0), (2000, 3000, 0, 2), (3000, 4000, 0, 3)], rows);
    }

    [Theory]
    [InlineData("1000,-1,0")]
    [InlineData("1000,1,x")]
    [InlineData("1000,1,2,3")]
    [InlineData("99999999999999999999,1,2")]
    public void A_line_that_is_no_reading_is_none(string line) => Assert.Null(LostCpuReading.Parse(line));

    [Fact]
    public void A_single_reading_is_an_empty_table_and_no_file_is_none()
    {
        Assert.Empty(Rows([LostCpuStream.Header, "1000,50,7"]));
        var empty = new Capture(Path.GetTempPath() + Path.GetRandomFileName(), Manifests.Of(CaptureStatus.Complete));
        Assert.Null(LostCpuStream.Read(empty, progress: null));
    }

    private static List<(long Start, long End, long Stolen, long Interrupts)> Rows(IEnumerable<string> lines)
    {
        var table = LostCpuStream.ToTable(lines.Select(LostCpuReading.Parse).OfType<LostCpuReading>());
        var columns = new[] { "start", "end", "stolen", "interrupts" }.Select(table.Int64).ToArray();
        return [.. Enumerable.Range(0, table.Count).Select(i => (columns[0][i], columns[1][i], columns[2][i], columns[3][i]))];
    }
}
