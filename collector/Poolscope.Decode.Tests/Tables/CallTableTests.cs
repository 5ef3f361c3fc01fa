using Poolscope.Decode.Events;
using Poolscope.Decode.Requests;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Columns: id start tid scheme host port path protocol left_queue left_queue_tid queue_wait sent connection
/// connection_made end end_tid status outcome.</summary>
public class CallTableTests
{
    private static readonly Guid One = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    private static readonly Guid Two = new(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);
    private static readonly CallTarget Shop = new("https", "shop", 443, "/a", "HTTP/1.1");

    private readonly CallTable _calls = new();

    [Fact]
    public void A_call_that_found_a_free_connection()
    {
        _calls.Start(10, 7, One, Shop);
        _calls.Sent(12, One, 3);
        _calls.Stop(30, 8, One, 200);

        Gives("0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 12 3 -1 30 8 200 answered");
    }

    [Fact]
    public void A_call_that_waited_for_a_connection_to_be_made_is_told_its_protocol()
    {
        _calls.Start(1_000, 7, One, Shop);
        _calls.ConnectionMade(3_000, 5, "HTTP/2");
        _calls.LeftQueue(4_000, 8, One, 0.0025, "HTTP/1.1");
        _calls.Sent(4_100, One, 5);

        Gives("0 1000 7 https shop 443 /a HTTP/2 4000 8 2500 4100 5 3000 -1 -1 -1 open");
    }

    [Fact]
    public void A_call_that_fails_ends_all_the_same()
    {
        _calls.Start(10, 7, One, Shop);
        _calls.Failed(One);
        _calls.Stop(30, 8, One, -1);

        Gives("0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 30 8 -1 failed");
    }

    [Fact]
    public void Calls_beside_each_other_are_told_apart_by_their_activities()
    {
        _calls.Start(10, 7, One, Shop);
        _calls.Start(11, 7, Two, Shop with { Path = "/b" });
        _calls.Stop(30, 8, Two, 404);
        _calls.Stop(40, 9, One, 200);

        Gives(
            "0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 40 9 200 answered",
            "1 11 7 https shop 443 /b HTTP/1.1 -1 -1 -1 -1 -1 -1 30 8 404 answered");
    }

    [Fact]
    public void Waits_of_a_redirected_call_are_added_up_and_are_no_longer_than_the_call()
    {
        _calls.Start(1_000, 7, One, Shop);
        _calls.LeftQueue(4_000, 8, One, 0.001, "HTTP/1.1");
        _calls.LeftQueue(6_000, 9, One, 0.002, "HTTP/1.1");
        _calls.Start(7_000, 7, Two, Shop);
        _calls.LeftQueue(8_000, 9, Two, 1e300, "HTTP/1.1");

        Gives(
            "0 1000 7 https shop 443 /a HTTP/1.1 6000 9 3000 -1 -1 -1 -1 -1 -1 open",
            "1 7000 7 https shop 443 /a HTTP/1.1 8000 9 1000 -1 -1 -1 -1 -1 -1 open");
    }

    [Fact]
    public void What_makes_no_sense_is_left_out()
    {
        _calls.Start(10, 7, One, Shop);
        _calls.LeftQueue(20, 8, One, double.NaN, "HTTP/1.1");
        _calls.LeftQueue(20, 8, One, -1, "HTTP/1.1");
        _calls.Sent(25, One, -7);

        Gives("0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 25 -1 -1 -1 -1 -1 open");
    }

    [Fact]
    public void What_is_told_of_calls_from_before_the_recording_makes_no_row()
    {
        _calls.LeftQueue(10, 7, Guid.Empty, 5, "HTTP/1.1");
        _calls.Sent(11, Guid.Empty, 3);
        _calls.Failed(One);
        _calls.Stop(12, 7, One, 200);
        _calls.Start(20, 7, Guid.Empty, Shop);
        _calls.Stop(30, 7, Guid.Empty, 200);

        Gives("0 20 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 -1 -1 -1 open");
    }

    private void Gives(params string[] rows) => Assert.Equal(rows, TableRows.Of(_calls.Table));
}
