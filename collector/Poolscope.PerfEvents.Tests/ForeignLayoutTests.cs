using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>`perf record` puts an event's id where perf_event_open(2) says. The id comes first in each record only if
/// the events have different fields.</summary>
public sealed class ForeignLayoutTests
{
    private const SampleFields Plain = SampleFields.Ip | SampleFields.Tid | SampleFields.Time | SampleFields.Cpu;

    [Fact]
    public void Without_an_identifier_the_id_is_behind_the_time_and_before_the_CPU()
    {
        var layout = EventLayout.Of(Event(Plain | SampleFields.Id | SampleFields.Period, 7), byAnyTool: true);
        Assert.Equal((16, 24, 32, 40, 56), (layout.Tid, layout.Time, layout.Id, layout.Cpu, layout.Body));
        Assert.Equal((8, 16, 24, 32), (layout.CpuFromEnd, layout.IdFromEnd, layout.TimeFromEnd, layout.TrailerBytes));
    }

    [Fact]
    public void A_record_finds_its_event_by_the_id_at_that_place()
    {
        var table = new EventTable([Event(Plain | SampleFields.Id, 7), Event(Plain | SampleFields.Id, 9)], byAnyTool: true);
        Assert.Same(table.Find(9), table.OfSample(HandMade.Record(RecordType.Sample, 1, 2, 3, 9, 0)));
        Assert.Same(table.Find(7), table.OfOther(HandMade.Record(RecordType.Comm, 1, 2, 3, 7, 0)));
        Assert.Null(table.OfSample(HandMade.Record(RecordType.Sample, 1)));
        Assert.Null(table.OfSample(HandMade.Record(RecordType.Sample, 1, 2, 3, 8, 0)));
    }

    [Fact]
    public void What_the_tool_made_up_has_no_id_and_is_read_as_the_first_event()
    {
        var foreign = new EventTable([Event(Plain | SampleFields.Identifier, 7)], byAnyTool: true);
        Assert.Same(foreign.Find(7), foreign.OfOther(HandMade.Record(RecordType.Comm, 1, 2, 3, 0, 0)));
        var own = new EventTable([Event(Plain | SampleFields.Identifier, 7)]);
        Assert.Null(own.OfOther(HandMade.Record(RecordType.Comm, 1, 2, 3, 0, 0)));
    }

    [Fact]
    public void One_event_needs_no_id_and_two_do()
    {
        var table = new EventTable([Event(Plain, 7)], byAnyTool: true);
        Assert.Same(table.Find(7), table.OfSample(HandMade.Record(RecordType.Sample, 1, 2, 3, 4)));
        Assert.Throws<InvalidDataException>(() => new EventTable([Event(Plain, 7), Event(Plain, 8)], byAnyTool: true));
        Assert.Throws<InvalidDataException>(() => new EventTable([Event(Plain | SampleFields.Id, 7), Event(Plain | SampleFields.Id | SampleFields.Address, 8)], byAnyTool: true));
    }

    [Fact]
    public void Poolscope_itself_gives_each_record_an_identifier() =>
        Assert.Throws<InvalidDataException>(() => EventLayout.Of(Event(Plain | SampleFields.Id, 7)));

    private static RecordedEvent Event(SampleFields fields, ulong id) => new(
        "cpu-clock", new PerfEventAttr { Type = PerfEventType.Software, SampleType = fields, Flags = AttrFlags.SampleIdAll }, [id], null);
}
