using Poolscope.Decode.Captures;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public sealed class ThrottleStreamTests
{
    [Fact]
    public void Rows_are_what_the_counters_grew_by_within_one_group()
    {
        var table = Rows(
        [
            ThrottleStream.Header,
            "1000,5,2,70,/a",
            "1100,6,2,70,/a", // not throttled
            "1200,7,3,95,/a",
            "1300,1,1,200,/b,with a comma", // moved: counters of another group
            "1400,3,2,240,/b,with a comma",
            "1500,4", // cut
        ]);

        Assert.Equal(2, table.Count);
    }

    [Fact]
    public void No_quota_is_an_empty_table_and_no_file_is_none()
    {
        Assert.Equal(0, Rows([ThrottleStream.Header]).Count);
        var empty = new Capture(Path.GetTempPath() + Path.GetRandomFileName(), Manifests.Of(CaptureStatus.Complete));
        Assert.Null(ThrottleStream.Read(empty, progress: null));
        Assert.Empty(empty.Streams);
    }

    private static Table Rows(IEnumerable<string> lines) => ThrottleStream.ToTable(lines.Select(ThrottleReading.Parse).OfType<ThrottleReading>());
}
