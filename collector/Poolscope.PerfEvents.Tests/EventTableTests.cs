using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Events are found by the ids in their descriptions, however far apart the ids lie.</summary>
public sealed class EventTableTests
{
    [Theory]
    [InlineData(2159, 2160)]
    [InlineData(0, ulong.MaxValue)]
    [InlineData(2159, 1_048_575)]
    public void An_event_is_found_by_its_ids_and_by_no_other(ulong first, ulong second)
    {
        var table = new EventTable([Event("one", first), Event("two", second)]);

        Assert.NotNull(table.Find(first));
        Assert.NotNull(table.Find(second));
        Assert.NotSame(table.Find(first), table.Find(second));
        Assert.Null(table.Find(1));
        Assert.Null(table.Find(second - 1 == first ? second + 1 : second - 1));
    }

    [Theory]
    [InlineData(65_535)]
    [InlineData(1_048_575)]
    [InlineData(ulong.MaxValue)]
    public void An_id_far_from_the_others_costs_little(ulong far)
    {
        RecordedEvent[] events = [Event("near", 1), Event("far", far)];
        _ = new EventTable(events);
        var before = GC.GetAllocatedBytesForCurrentThread();

        _ = new EventTable(events);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1 << 20);
    }

    private static RecordedEvent Event(string name, ulong id) => new(name, SchedulerEvents.Dummy().Attr, [id], null);
}
