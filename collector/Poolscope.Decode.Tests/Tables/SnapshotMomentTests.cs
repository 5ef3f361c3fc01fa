using Poolscope.Decode.Snapshots;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public class SnapshotMomentTests
{
    [Fact]
    public void A_line_is_read_as_it_was_written()
    {
        var moment = new SnapshotMoment(79_522_942_546_220, 250_000_000, SnapshotWhy.Random, "0001.nettrace");

        Assert.Equal(moment, SnapshotMoment.Parse(moment.ToLine()));
    }

    [Theory]
    [InlineData(SnapshotMoment.Header)]
    [InlineData("79522942546220,2500")] // the collector was killed
    [InlineData("0,12849940000,random,0010.nettrace")] // the session had not ended: it hung
    public void Other_lines_are_passed_over(string line) => Assert.Null(SnapshotMoment.Parse(line));

    [Fact]
    public void A_file_without_the_stack_of_a_thread_is_known()
    {
        using var capture = new GoldenCapture("sync-over-async");
        Assert.All(Directory.GetFiles(capture.PathOf("snapshots")), file => Assert.True(SnapshotMoment.HasStacks(file)));
        Assert.False(SnapshotMoment.HasStacks(capture.PathOf("runtime.nettrace"))); // events, none with a stack
        Assert.False(SnapshotMoment.HasStacks(capture.PathOf("capture.json")));
    }
}
