using Poolscope.Decode.Live;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

public sealed class RequestWatchTests
{
    private const long Second = 1_000_000_000;
    private static readonly Guid One = new(1, 0, 0, new byte[8]);
    private static readonly Guid Two = new(2, 0, 0, new byte[8]);

    private readonly RequestWatch _requests = new();

    [Fact]
    public void A_request_that_is_still_under_way_counts_so_far_and_one_that_ended_counts_once()
    {
        _requests.Start(1 * Second, One);
        _requests.Start(2 * Second, Two);
        Assert.Equal(3 * Second, _requests.Sample(4 * Second));
        _requests.Stop(5 * Second, One);
        Assert.Equal(4 * Second, _requests.Sample(5 * Second));
        Assert.Equal(4 * Second, _requests.Sample(6 * Second)); // the other request
        _requests.Stop(7 * Second, Two);
        Assert.Equal(5 * Second, _requests.Sample(7 * Second));
        Assert.Equal(0, _requests.Sample(8 * Second));
    }

    /// <summary>Streams of an HTTP/2 connection share an activity, so an end may belong to any of them.</summary>
    [Fact]
    public void Of_several_under_one_activity_nothing_is_told_until_all_have_ended()
    {
        _requests.Start(1 * Second, One);
        _requests.Start(9 * Second, One);
        _requests.Stop(10 * Second, One);
        Assert.Equal(0, _requests.Sample(11 * Second));
        _requests.Stop(12 * Second, One);
        Assert.Equal(0, _requests.Sample(12 * Second));
        _requests.Start(13 * Second, One);
        Assert.Equal(2 * Second, _requests.Sample(15 * Second));
    }

    [Fact]
    public void What_goes_on_for_minutes_is_a_stream()
    {
        _requests.Start(0, One);
        Assert.Equal(PoolSample.LongestRequestNs, _requests.Sample(PoolSample.LongestRequestNs));
        Assert.Equal(0, _requests.Sample(PoolSample.LongestRequestNs + 1));
        _requests.Stop(PoolSample.LongestRequestNs + 2, One);
        Assert.Equal(0, _requests.Sample(PoolSample.LongestRequestNs + 3));
    }

    [Fact]
    public void After_a_loss_nothing_seems_to_go_on()
    {
        _requests.Start(1 * Second, One);
        _requests.Lost();
        Assert.Equal(0, _requests.Sample(100 * Second));
        _requests.Stop(101 * Second, One);
        Assert.Equal(0, _requests.Sample(101 * Second));
    }

    [Fact]
    public void An_end_without_a_begin_is_nobodys()
    {
        _requests.Stop(1 * Second, Two);
        Assert.Equal(0, _requests.Sample(2 * Second));
    }
}
