using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Rings;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Records of two processes pass through the filter, with the ring's end at every possible place.</summary>
public sealed class TargetFilterTests
{
    private const ulong Id = 17;
    private const int Target = 100;

    [Fact]
    public void Names_and_births_of_the_target_pass_and_losses_always_do()
    {
        var all = new RecordBuilder(Id);
        all.Comm(200, 201, "other");
        all.Fork(Target, 103);
        all.Lost(0, time: 5, count: 3);
        all.Fork(200, 202);
        all.Comm(Target, 103, "a worker with a name");
        var own = new RecordBuilder(Id);
        own.Fork(Target, 103);
        own.Lost(0, time: 5, count: 3);
        own.Comm(Target, 103, "a worker with a name");

        var chosen = new List<Range>();
        for (var wrap = 0; wrap <= all.Records.Length; wrap += 8)
        {
            var filter = new TargetFilter(Target, [new RecordedEvent("dummy", SchedulerEvents.Dummy().Attr, [Id], null)]);
            var content = new RingContent(all.Records[..wrap], all.Records[wrap..]);
            Assert.True(filter.Choose(content, chosen));
            var whole = all.Records.ToArray();
            Assert.Equal(own.Records.ToArray(), chosen.SelectMany(part => whole[part]));
            Assert.False(filter.Choose(content, chosen)); // it already knows the new thread
        }
    }
}
