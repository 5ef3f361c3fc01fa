using Poolscope.Decode.Requests;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>An end that only its time and its surroundings tie to a call is matched with an open one. A call is its row
/// and the last time at which it had an event; an end is its time.</summary>
public sealed class OrphanStopTests
{
    [Theory]
    [InlineData("0@10", "11", "0@11", "")]
    [InlineData("0@10", "10", "", "")] // the call's own event may have come later at the same moment
    [InlineData("0@10 1@10", "11 12", "", "0 1")]
    [InlineData("0@10 1@20", "15 25", "0@15 1@25", "")]
    [InlineData("1@20 0@10", "15 25", "0@15 1@25", "")] // calls in any order
    [InlineData("0@10 1@11 2@20", "15 25", "", "0 1 2")] // one of the first two is still open when the third may end
    [InlineData("0@10 1@11 2@20", "15 16 25", "2@25", "0 1")]
    [InlineData("0@10", "11 12", "0@11", "")] // an end too many: of a call from before the recording
    [InlineData("", "11", "", "")]
    public void An_end_is_a_call_s_if_no_other_can_have_ended_then(string calls, string stops, string ended, string untold)
    {
        OpenCall[] open = [.. Pairs(calls).Select(call => new OpenCall(call.Row, call.Time, Guid.Empty))];
        OrphanStop[] ends = [.. stops.Split(' ').Select(time => new OrphanStop(long.Parse(time, null), 7, Guid.Empty, 200, Failed: false))];

        var found = OrphanStops.Match(open, ends);

        Assert.Equal(ended, string.Join(' ', found.Ended.Select(pair => $"{pair.Row}@{pair.Stop.Time}")));
        Assert.Equal(untold, string.Join(' ', found.Untold));
    }

    private static IEnumerable<(int Row, long Time)> Pairs(string text) => text.Split(' ', StringSplitOptions.RemoveEmptyEntries)
        .Select(pair => pair.Split('@')).Select(pair => (int.Parse(pair[0], null), long.Parse(pair[1], null)));
}
