using Poolscope.Decode.Nettrace;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

public sealed class EventSorterTests
{
    [Fact]
    public void Events_come_out_by_time_and_equal_times_in_the_order_of_arrival()
    {
        var sorter = new EventSorter();
        foreach (var (time, tag) in new (long, byte)[] { (30, 1), (10, 2), (20, 3), (10, 4) })
        {
            sorter.Add(new RawEvent(Guid.Empty, tag, time, tid: tag + 100, pointerSize: 8, [tag, tag]));
        }

        var seen = new List<string>();
        sorter.Replay((in RawEvent e) => seen.Add($"{e.Time} {e.Id} {e.Tid} {e.Payload[1]} {e.Payload.Length} {e.Offset(0, 1)}"));

        Assert.Equal(["10 2 102 2 2 8", "10 4 104 4 2 8", "20 3 103 3 2 8", "30 1 101 1 2 8"], seen);
    }
}
