using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Xunit;

namespace Poolscope.Decode.Tests.Events;

/// <summary>Payloads of System.Net.Http that .NET 8.0.31, 9.0.20 and 10.0.12 wrote in recordings of the runtimes'
/// target.</summary>
public sealed class HttpCallEventsTests
{
    private const string Established =
        "01010100000000000000680074007400700000003100320037002E0030002E0030002E0031000000379F00003A003A0066006600660066003A003100320037"
        + "002E0030002E0030002E0031000000";

    private const string Refused =
        "43006F006E006E0065006300740069006F006E0020007200650066007500730065006400200028006C006F00630061006C0068006F00730074003A00310029000000";

    private static readonly Guid Http = TraceEventProviders.GetEventSourceGuidFromName("System.Net.Http");
    private static readonly Guid Activity = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    private static readonly Guid Inner = new(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2);

    /// <summary>The payloads of a call and of its connection, by event id.</summary>
    public static TheoryData<string, int, string, string> Told => new()
    {
        { "8", 1, BeginOfNet8, "CallStart 1000 7 {0} 00000000-0000-0000-0000-000000000000 CallTarget {{ Scheme = http, Host = 127.0.0.1, Port = 40759, Path = /orders/0, Protocol = HTTP/1.1 }}" },
        { "9", 1, BeginOfNet9, "CallStart 1000 7 {0} 00000000-0000-0000-0000-000000000000 CallTarget {{ Scheme = http, Host = 127.0.0.1, Port = 39933, Path = /orders/0, Protocol = HTTP/1.1 }}" },
        { "10", 1, BeginOfNet10, "CallStart 1000 7 {0} 00000000-0000-0000-0000-000000000000 CallTarget {{ Scheme = http, Host = 127.0.0.1, Port = 44799, Path = /orders/0, Protocol = HTTP/1.1 }}" },
        { "8, 9, 10", 2, "C8000000", "CallStop 1000 7 {0} 200" },
        { "8, 9, 10", 2, "FFFFFFFF", "CallStop 1000 7 {0} -1" },
        { "6, 7", 2, "", "CallStop 1000 7 {0} -1" },
        { "8, 9, 10", 3, Refused, "CallFailed 1000 7 {0}" },
        { "8, 9, 10", 4, Established, "CallConnectionMade 1000 1 HTTP/1.1" },
        { "8", 6, "2D431CEBE26647400101", "CallLeftQueue 1000 7 {0} 46.8038 HTTP/1.1" },
        { "9", 6, "3E7958A8351D47400101", "CallLeftQueue 1000 7 {0} 46.2282 HTTP/1.1" },
        { "10", 6, "1361C3D32BC546400101", "CallLeftQueue 1000 7 {0} 45.5404 HTTP/1.1" },
        { "8, 9, 10", 7, "0100000000000000", "CallSent 1000 {1} {0} 1" },
        { "6, 7", 7, "", "CallSent 1000 {1} {0} -1" },
        { "8, 9, 10", 5, "01010000000000000000", "" },
        { "8, 9, 10", 12, "C8000000", "CallHead 1000 7 {1} {0} 200" },
        { "8, 9, 10", 14, "", "CallContent 1000 7 {1} {0}" },
        { "8, 9, 10", 16, "2F0062000000", "CallRedirected 7" },
    };

    private static string BeginOfNet8 =>
        "680074007400700000003100320037002E0030002E0030002E0031000000379F00002F006F00720064006500720073002F0030003F006300750073007400"
        + "6F006D00650072003D007300650063007200650074000000010100000000";

    private static string BeginOfNet9 =>
        "680074007400700000003100320037002E0030002E0030002E0031000000FD9B00002F006F00720064006500720073002F0030003F002A00000001010000"
        + "0000";

    private static string BeginOfNet10 =>
        "680074007400700000003100320037002E0030002E0030002E0031000000FFAE00002F006F00720064006500720073002F0030003F002A00000001010000"
        + "0000";

    [Theory]
    [MemberData(nameof(Told))]
    public void What_each_runtime_tells(string runtimes, int id, string payload, string expected)
    {
        Assert.NotEmpty(runtimes);
        Assert.Equal(string.Format(null, expected, Activity, Inner), Decode(id, Convert.FromHexString(payload)));
    }

    [Fact]
    public void A_query_is_told_by_no_call()
    {
        Assert.Contains("secret", System.Text.Encoding.Unicode.GetString(Convert.FromHexString(BeginOfNet8)), StringComparison.Ordinal);
        Assert.DoesNotContain("secret", Decode(1, Convert.FromHexString(BeginOfNet8)), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Told))]
    public void A_cut_payload_tells_nothing_wrong(string runtimes, int id, string payload, string expected)
    {
        Assert.NotEmpty(runtimes);
        var whole = Convert.FromHexString(payload);
        for (var length = 0; length < whole.Length; length++)
        {
            var told = Decode(id, whole[..length]);
            // A shorter payload may omit the status and the connection's number; the text of an exception is not read.
            Assert.True(
                told.Length == 0 || told.EndsWith(" -1", StringComparison.Ordinal) || told == string.Format(null, expected, Activity, Inner),
                $"{length} bytes: {told}");
        }
    }

    [Fact]
    public void Versions_are_written_as_the_web_server_writes_them()
    {
        Assert.EndsWith(" HTTP/2", Decode(6, [0, 0, 0, 0, 0, 0, 0, 0, 2, 0]), StringComparison.Ordinal);
        Assert.EndsWith(" HTTP/3", Decode(6, [0, 0, 0, 0, 0, 0, 0, 0, 3, 0]), StringComparison.Ordinal);
        Assert.EndsWith(" HTTP/1.0", Decode(6, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0]), StringComparison.Ordinal);
    }

    private static string Decode(int id, byte[] payload)
    {
        var calls = new CallLog();
        // The steps of a call begin activities inside the call's.
        var (activity, related) = id is 7 or 12 or 14 ? (Inner, Activity) : (Activity, Guid.Empty);
        new EventDecoder(calls).Decode(new RawEvent(Http, id, 1000, 7, 8, payload, null, activity, related));
        return calls.ToString();
    }
}
