using Poolscope.Decode.Requests;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public class RequestTableTests
{
    private static readonly Guid One = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    private static readonly Guid Two = new(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);

    private readonly RequestTable _requests = new();

    [Fact]
    public void Host_and_server_tell_of_one_request()
    {
        _requests.HandlerStart(10, 7, One, "GET", "/a");
        _requests.RequestStart(12, 7, "C1:1", new("C1", "HTTP/1.1", "GET", "/a"));
        _requests.HandlerStop(30, 9, One);
        _requests.RequestStop(31, 8, "C1:1", new("C1", "HTTP/1.1", "GET", "/a"));

        Gives("0 10 7 C1 HTTP/1.1 GET /a 10 30 9 31 8");
    }

    [Fact]
    public void The_server_may_tell_first()
    {
        _requests.RequestStart(10, 7, "C1:1", new("C1", "HTTP/1.1", "GET", "/a"));
        _requests.HandlerStart(12, 7, One, "GET", "/a");

        Gives("0 10 7 C1 HTTP/1.1 GET /a 12 -1 -1 -1 -1");
    }

    [Fact]
    public void Requests_that_follow_each_other_on_a_thread_are_two()
    {
        _requests.HandlerStart(10, 7, One, "GET", "/a");
        _requests.RequestStart(12, 7, "C1:1", new("C1", "HTTP/1.1", "GET", "/a"));
        _requests.HandlerStart(20, 7, Two, "GET", "/a");
        _requests.RequestStart(22, 7, "C1:2", new("C1", "HTTP/1.1", "GET", "/a"));
        _requests.HandlerStop(40, 7, Two);

        Gives("0 10 7 C1 HTTP/1.1 GET /a 10 -1 -1 -1 -1", "1 20 7 C1 HTTP/1.1 GET /a 20 40 7 -1 -1");
    }

    [Fact]
    public void Another_thread_s_half_is_another_request()
    {
        _requests.HandlerStart(10, 7, One, "GET", "/a");
        _requests.RequestStart(12, 8, "C1:1", new("C1", "HTTP/2", "GET", "/a"));
        _requests.RequestStart(13, 7, "C2:1", new("C2", "HTTP/2", "GET", "/other"));

        Gives("0 10 7 - - GET /a 10 -1 -1 -1 -1", "1 12 8 C1 HTTP/2 GET /a -1 -1 -1 -1 -1", "2 13 7 C2 HTTP/2 GET /other -1 -1 -1 -1 -1");
    }

    [Fact]
    public void Other_servers_than_Kestrel_have_no_connection()
    {
        _requests.HandlerStart(10, 7, One, "GET", "/a");
        _requests.HandlerStart(20, 7, Two, "GET", "/a");
        _requests.HandlerStop(30, 8, One);

        Gives("0 10 7 - - GET /a 10 30 8 -1 -1", "1 20 7 - - GET /a 20 -1 -1 -1 -1");
    }

    [Fact]
    public void Of_requests_that_share_an_activity_the_end_is_the_server_s_to_tell()
    {
        _requests.HandlerStart(10, 7, One, "GET", "/a");
        _requests.RequestStart(11, 7, "C1:1", new("C1", "HTTP/2", "GET", "/a"));
        _requests.HandlerStart(20, 8, One, "GET", "/b");
        _requests.RequestStart(21, 8, "C1:3", new("C1", "HTTP/2", "GET", "/b"));
        _requests.RequestStop(30, 9, "C1:3", new("C1", "HTTP/2", "GET", "/b"));
        _requests.HandlerStop(31, 9, One);
        _requests.HandlerStop(41, 9, One);

        Gives("0 10 7 C1 HTTP/2 GET /a 10 -1 -1 -1 -1", "1 20 8 C1 HTTP/2 GET /b 20 -1 -1 30 9");
    }

    [Fact]
    public void Without_activities_the_end_is_unknown()
    {
        _requests.HandlerStart(10, 7, Guid.Empty, "GET", "/a");
        _requests.HandlerStop(30, 7, Guid.Empty);

        Gives("0 10 7 - - GET /a 10 -1 -1 -1 -1");
    }

    [Fact]
    public void Of_a_request_from_before_the_recording_the_end_is_told()
    {
        _requests.RequestStop(31, 7, "C1:8", new("C1", "HTTP/1.1", "GET", "/slow"));
        _requests.RequestStart(40, 7, "C1:9", new("C1", "HTTP/1.1", "GET", "/a"));
        _requests.RequestStop(50, 7, "C1:9", new("C1", "HTTP/1.1", "GET", "/a"));

        Gives("0 40 7 C1 HTTP/1.1 GET /a -1 -1 -1 50 7");
        Assert.Equal(["31 7 C1 HTTP/1.1 GET /slow"], TableRows.Of(_requests.Earlier));
    }

    private void Gives(params string[] rows) => Assert.Equal(rows, TableRows.Of(_requests.Table));
}
