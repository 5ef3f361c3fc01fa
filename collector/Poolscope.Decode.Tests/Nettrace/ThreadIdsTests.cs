using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Readings;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

/// <summary>Threads of a target in a pid namespace of its own.</summary>
public sealed class ThreadIdsTests
{
    private static readonly Guid AnyProvider = Guid.NewGuid();

    [Theory]
    [InlineData(7, 0, 4711)] // seen soon after it wrote its first event
    [InlineData(7, 100, 4711)]
    [InlineData(7, 499, 4711)]
    [InlineData(7, 500, 4890)] // the id was reused
    [InlineData(8, 300, 4712)]
    [InlineData(9, 300, ThreadIds.Limit + 9)] // never seen: outside, 9 is another thread
    [InlineData(0, 300, 0)]
    [InlineData(-1, 300, -1)]
    public void An_id_from_inside_is_that_of_the_thread_that_had_it_then(int inside, long time, int outside)
    {
        var ids = new ThreadIds([new SeenThread(100, 4711, 7), new SeenThread(100, 4712, 8), new SeenThread(500, 4890, 7)]);

        Assert.Equal(outside, ids.Of(inside, time));
    }

    [Fact]
    public void An_event_tells_its_thread_and_the_threads_that_it_names_from_outside()
    {
        var ids = new ThreadIds([new SeenThread(100, 4711, 7), new SeenThread(100, 4712, 8)]);

        var mapped = new RawEvent(AnyProvider, 81, 300, tid: 7, pointerSize: 8, [], ids);
        var plain = new RawEvent(AnyProvider, 81, 300, tid: 7, pointerSize: 8, []);

        Assert.Equal((4711, 4712), (mapped.Tid, mapped.Thread(8)));
        Assert.Equal((7, 8), (plain.Tid, plain.Thread(8)));
    }

    [Theory]
    [InlineData("100,4711,7", true)]
    [InlineData("100,4711,", false)] // the last line of a collector that was killed
    [InlineData("100,4711", false)]
    [InlineData("100,0,7", false)]
    [InlineData("100,4711,-7", false)]
    [InlineData("100,4194304,7", false)] // no kernel gives such an id
    [InlineData(ThreadIdStream.Header, false)]
    public void Only_ids_that_a_thread_can_have_are_read(string line, bool counts) =>
        Assert.Equal(counts ? new SeenThread(100, 4711, 7) : null, ThreadIdStream.Parse(line));
}
