using System.IO.Compression;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>A file of dotnet-trace 10.0 with the runtime's counters and no work items (traces/other-tools). 150 items
/// were kept outstanding on at most four threads, so about 146 were queued at each of seven readings.</summary>
public sealed class CounterImportTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-counters");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void The_counters_are_a_table_and_the_missing_work_items_are_no_longer_perhaps_none()
    {
        ZipFile.ExtractToDirectory(Path.Combine(GoldenCapture.Goldens, "..", "other-tools", "counters.zip"), _folder.FullName);
        var made = _folder.CreateSubdirectory("made").FullName;
        var cancel = TestContext.Current.CancellationToken;
        NettraceImport.Write(NettraceImport.Open(Path.Combine(_folder.FullName, "trace.nettrace"), null, null, cancel), made, new ToolInfo("test", "1"), cancel);
        var decoded = CaptureDecoder.Read(made, null, cancel);

        var counters = decoded.Tables.Single(table => table.Schema.Name == "pool_counters");
        Assert.Equal(7, counters.Count);
        Assert.All(Enumerable.Range(0, counters.Count), row => Assert.InRange(counters.Int64("queue_length")[row], 146, 148));
        Assert.All(Enumerable.Range(0, counters.Count), row => Assert.InRange(counters.Int32("threads")[row], 3, 4));
        Assert.All(Enumerable.Range(1, counters.Count - 1), row => Assert.InRange(counters.Int64("since")[row] - counters.Int64("time")[row - 1], -50_000_000, 50_000_000));
        Assert.Equal(366, Enumerable.Range(0, counters.Count).Sum(row => counters.Int64("completed")[row]));

        var gap = Assert.Single(decoded.Capture.Completed().Refused, gap => gap.Wanted == "work items");
        Assert.Contains("although by the runtime's counters items ran", gap.Why, StringComparison.Ordinal);
        Assert.DoesNotContain("nothing was queued", gap.Why, StringComparison.Ordinal);
    }
}
