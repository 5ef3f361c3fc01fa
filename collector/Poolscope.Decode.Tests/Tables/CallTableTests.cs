using Poolscope.Decode.Events.Web;
using Poolscope.Decode.Requests;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Columns: id start tid scheme host port path protocol left_queue left_queue_tid queue_wait sent connection
/// connection_made end end_tid status outcome.</summary>
public class CallTableTests
{
    private static readonly Guid One = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    private static readonly Guid Two = new(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);
    private static readonly Guid Three = new(3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3);

    /// <summary>Ids that .NET 8.0.31 made: of a call, of a step of it, of a step outside any call, and the one that it
    /// writes if the path is too long.</summary>
    private static readonly Guid Outer = new("00000012-0000-0000-0000-0000ebb89d59");
    private static readonly Guid OuterStep = new("00002012-0000-0000-0000-0000eb989d59");
    private static readonly Guid RootStep = new("00000011-0000-0000-0000-0000eab89d59");
    private static readonly Guid TooLong = new("0000b012-0000-0000-0000-0000eb989d59");

    private static readonly CallTarget Shop = new("https", "shop", 443, "/a", "HTTP/1.1");

    private readonly CallTable _calls = new();

    [Fact]
    public void A_call_that_found_a_free_connection()
    {
        _calls.Start(10, 7, One, Guid.Empty, Shop);
        _calls.Sent(12, new(Guid.Empty, One), 3);
        _calls.Stop(30, 8, One, 200);

        Gives("0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 12 3 -1 30 8 200 answered");
    }

    [Fact]
    public void A_call_that_waited_for_a_connection_to_be_made_is_told_its_protocol()
    {
        _calls.Start(1_000, 7, One, Guid.Empty, Shop);
        _calls.ConnectionMade(3_000, 5, "HTTP/2");
        _calls.LeftQueue(4_000, 8, One, 0.0025, "HTTP/1.1");
        _calls.Sent(4_100, new(Guid.Empty, One), 5);

        Gives("0 1000 7 https shop 443 /a HTTP/2 4000 8 2500 4100 5 3000 -1 -1 -1 open");
    }

    [Fact]
    public void A_call_that_fails_ends_all_the_same()
    {
        _calls.Start(10, 7, One, Guid.Empty, Shop);
        _calls.Failed(29, 8, One);
        _calls.Stop(30, 8, One, -1);

        Gives("0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 30 8 -1 failed");
    }

    [Fact]
    public void Calls_beside_each_other_are_told_apart_by_their_activities()
    {
        _calls.Start(10, 7, One, Guid.Empty, Shop);
        _calls.Start(11, 7, Two, Guid.Empty, Shop with { Path = "/b" });
        _calls.Stop(30, 8, Two, 404);
        _calls.Stop(40, 9, One, 200);

        Gives(
            "0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 40 9 200 answered",
            "1 11 7 https shop 443 /b HTTP/1.1 -1 -1 -1 -1 -1 -1 30 8 404 answered");
    }

    [Fact]
    public void Waits_of_a_redirected_call_are_added_up_and_are_no_longer_than_the_call()
    {
        _calls.Start(1_000, 7, One, Guid.Empty, Shop);
        _calls.LeftQueue(4_000, 8, One, 0.001, "HTTP/1.1");
        _calls.LeftQueue(6_000, 9, One, 0.002, "HTTP/1.1");
        _calls.Start(7_000, 7, Two, Guid.Empty, Shop);
        _calls.LeftQueue(8_000, 9, Two, 1e300, "HTTP/1.1");

        Gives(
            "0 1000 7 https shop 443 /a HTTP/1.1 6000 9 3000 -1 -1 -1 -1 -1 -1 open",
            "1 7000 7 https shop 443 /a HTTP/1.1 8000 9 1000 -1 -1 -1 -1 -1 -1 open");
    }

    [Fact]
    public void What_makes_no_sense_is_left_out()
    {
        _calls.Start(10, 7, One, Guid.Empty, Shop);
        _calls.LeftQueue(20, 8, One, double.NaN, "HTTP/1.1");
        _calls.LeftQueue(20, 8, One, -1, "HTTP/1.1");
        _calls.Sent(25, new(Guid.Empty, One), -7);

        Gives("0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 25 -1 -1 -1 -1 -1 open");
    }

    [Fact]
    public void Of_calls_from_before_the_recording_the_answer_s_head_is_told()
    {
        _calls.LeftQueue(10, 7, Guid.Empty, 5, "HTTP/1.1");
        _calls.Sent(11, new(RootStep, Guid.Empty), 3);
        _calls.Head(21, 8, new(RootStep, Guid.Empty), 302);
        _calls.Redirected(8);
        _calls.Head(31, 9, new(RootStep, Guid.Empty), 200);
        _calls.Head(35, 9, new(TooLong, Guid.Empty), 200);
        _calls.Start(40, 7, Outer, Guid.Empty, Shop);
        _calls.Head(45, 8, new(OuterStep, Guid.Empty), 404);
        _calls.Stop(46, 8, Outer, 404);
        _calls.Content(50, 8, new(OuterStep, Guid.Empty));
        _calls.Finish();

        Gives("0 40 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 46 8 404 answered");
        Earlier("31 9 200");
    }

    [Fact]
    public void A_redirection_that_is_told_in_another_work_item_leaves_an_earlier_call_s_head()
    {
        _calls.Head(31, 9, new(RootStep, Guid.Empty), 200);
        _calls.NewItem(9);
        _calls.Redirected(9);
        _calls.Finish();

        Earlier("31 9 200");
    }

    /// <summary>The events are those of .NET 8.0.31 for a call whose handler fetched a token.</summary>
    [Fact]
    public void A_call_inside_another_one_takes_its_activity_away_and_not_its_path()
    {
        _calls.Start(10, 7, Outer, Guid.Empty, Shop);
        _calls.Start(11, 7, Two, Guid.Empty, Shop with { Path = "/token" });
        _calls.Stop(20, 8, Two, 200);
        _calls.Sent(21, new(new("00001012-0000-0000-0000-0000eb889d59"), Guid.Empty), 7);
        _calls.Start(22, 7, Three, Guid.Empty, Shop);
        _calls.Head(29, 9, new(new("00002012-0000-0000-0000-0000eb989d59"), Guid.Empty), 200);
        _calls.Content(30, 9, new(new("00003012-0000-0000-0000-0000ebe89d59"), Guid.Empty));
        _calls.Stop(31, 9, Guid.Empty, 200);
        _calls.Finish();

        Gives(
            "0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 21 7 -1 31 9 200 answered",
            "1 11 7 https shop 443 /token HTTP/1.1 -1 -1 -1 -1 -1 -1 20 8 200 answered",
            "2 22 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 -1 -1 -1 open");
        Earlier();
    }

    [Fact]
    public void An_end_that_follows_no_answer_in_its_work_item_is_the_only_call_s_that_it_can_be()
    {
        _calls.Start(10, 7, Outer, Guid.Empty, Shop);
        _calls.Head(29, 9, new(OuterStep, Guid.Empty), 200);
        _calls.NewItem(9);
        _calls.Start(30, 8, Two, Guid.Empty, Shop);
        _calls.Stop(30, 9, Guid.Empty, 200);
        _calls.Finish();

        Gives(
            "0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 30 9 200 answered",
            "1 30 8 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 -1 -1 -1 open");
    }

    [Fact]
    public void A_failure_that_was_told_in_an_earlier_work_item_is_another_call_s()
    {
        _calls.Start(10, 7, Outer, Guid.Empty, Shop);
        _calls.Start(11, 7, Two, Guid.Empty, Shop);
        _calls.Failed(28, 9, Guid.Empty);
        _calls.NewItem(9);
        _calls.Head(29, 9, new(OuterStep, Guid.Empty), 200);
        _calls.Stop(30, 9, Guid.Empty, 200);
        _calls.Finish();

        Gives(
            "0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 30 9 200 answered",
            "1 11 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 -1 -1 -1 open");
    }

    [Fact]
    public void Two_such_calls_at_a_time_have_no_end_and_are_not_called_open()
    {
        _calls.Start(10, 7, One, Guid.Empty, Shop);
        _calls.Start(11, 7, Two, Guid.Empty, Shop);
        _calls.Stop(30, 9, Guid.Empty, -1);
        _calls.Stop(32, 9, Guid.Empty, -1);
        _calls.Start(40, 7, Three, Guid.Empty, Shop);
        _calls.Failed(49, 9, Guid.Empty);
        _calls.Stop(50, 9, Guid.Empty, -1);
        _calls.Finish();

        Gives(
            "0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 -1 -1 -1 untold",
            "1 11 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 -1 -1 -1 untold",
            "2 40 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 50 9 -1 failed");
    }

    [Fact]
    public void Such_calls_of_two_requests_are_told_apart_by_the_activity_around_them()
    {
        _calls.Start(10, 7, One, Outer, Shop);
        _calls.Start(11, 8, Two, Three, Shop);
        _calls.Stop(30, 9, Three, 200);
        _calls.Stop(32, 9, Outer, 404);
        _calls.Finish();

        Gives(
            "0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 32 9 404 answered",
            "1 11 8 https shop 443 /a HTTP/1.1 -1 -1 -1 -1 -1 -1 30 9 200 answered");
    }

    [Fact]
    public void What_a_call_told_itself_keeps_earlier_ends_from_it()
    {
        _calls.Start(10, 7, One, Guid.Empty, Shop);
        _calls.Stop(30, 9, Guid.Empty, 200);
        _calls.Sent(40, new(Guid.Empty, One), 3);
        _calls.Finish();

        Gives("0 10 7 https shop 443 /a HTTP/1.1 -1 -1 -1 40 3 -1 -1 -1 -1 open");
    }

    private void Gives(params string[] rows) => Assert.Equal(rows, TableRows.Of(_calls.Table));

    private void Earlier(params string[] rows) => Assert.Equal(rows, TableRows.Of(_calls.Earlier));
}
