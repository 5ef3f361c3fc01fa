using Poolscope.Decode.Streams;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public sealed class SnapshotMomentTests
{
    [Fact]
    public void Every_snapshot_has_its_moment_also_one_that_failed_or_was_not_told()
    {
        var table = new SnapshotMomentTable(
        [
            SnapshotMoment.Header,
            new SnapshotMoment(100, 250, SnapshotWhy.Gap, "").ToLine(),
            new SnapshotMoment(210, 250, SnapshotWhy.Start, "0001.nettrace").ToLine(),
            new SnapshotMoment(310, 250, SnapshotWhy.Random, "0002.nettrace").ToLine(), // no sample in it
            new SnapshotMoment(320, 1000, SnapshotWhy.Gap, "").ToLine(),
            new SnapshotMoment(410, 1000, SnapshotWhy.Random, "0003.nettrace").ToLine(), // its file is gone
            "500,1000,ra", // cut
        ]);
        table.AddFile("0001.nettrace", time: 200, threads: 7);
        table.AddFile("0002.nettrace", time: -1, threads: 0);
        table.AddFile("0004.nettrace", time: 480, threads: 8); // the collector was killed before it told of it

        Assert.Equal(
            ["100 250 gap -1", "200 250 start 7", "310 250 random 0", "320 1000 gap -1", "410 1000 random 0", "480 -1 random 8"],
            TableRows.Of(table.ToTable()));
    }
}
