using System.Text;
using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;
using Xunit;

namespace Poolscope.Decode.Tests.Events;

/// <summary>Events of Microsoft-Diagnostics-DiagnosticSource. .NET 8.0, 9.0 and 10.0 wrote payloads of one layout in
/// recordings of the collector's own session.</summary>
public sealed class ActivityEventsTests
{
    /// <summary>A payload that .NET 10 wrote.</summary>
    private const string Recorded =
        "530068006F0070002E004F007200640065007200730000005000720069006E00740000000300540072006100630065004900640000003800310033003700"
        + "6100660035003200640033003600660032003800310031003400630064006200330035006200370039003100360031003700390064003500000053007000"
        + "61006E004900640000003400620035003000360063003700660038003100350062003700380035003600000050006100720065006E007400530070006100"
        + "6E0049006400000030003000300030003000300030003000300030003000300030003000300030000000";

    private static readonly Guid Provider = TraceEventProviders.GetEventSourceGuidFromName(KnownEvents.Activities);
    private static readonly Guid Flow = new(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

    [Theory]
    [InlineData("8", 13, 14)]
    [InlineData("9", 14, 15)]
    [InlineData("10", 14, 15)]
    public void Begin_and_end_are_known_by_name_because_ids_differ(string runtime, int start, int stop)
    {
        Assert.NotEmpty(runtime);
        Assert.Equal(KnownEvents.ActivityStart, KnownEvents.IdOf(KnownEvents.Activities, start, "ActivityStart"));
        Assert.Equal(KnownEvents.ActivityStop, KnownEvents.IdOf(KnownEvents.Activities, stop, "ActivityStop"));
        Assert.Equal(stop, KnownEvents.IdOf("System.Net.Http", stop, "ActivityStop"));
        Assert.Empty(Decode(start, Convert.FromHexString(Recorded)));
    }

    [Fact]
    public void What_the_runtime_wrote()
    {
        const string names = "ActivityNames { Source = Shop.Orders, Name = Print, Trace = 8137af52d36f28114cdb35b7916179d5, Span = 4b506c7f815b7856, Parent =  }";
        Assert.Equal($"ActivityStart 1000 7 {Flow} {names}", Decode(KnownEvents.ActivityStart, Convert.FromHexString(Recorded)));
        Assert.Equal($"ActivityStop 1000 7 {names}", Decode(KnownEvents.ActivityStop, Convert.FromHexString(Recorded)));
    }

    [Fact]
    public void A_parent_is_told_and_what_was_not_asked_for_is_passed_over()
    {
        var payload = Payload(("SpanId", "00000000000000aa"), ("customer", "secret"), ("ParentSpanId", "00000000000000bb"));
        Assert.Equal(
            $"ActivityStart 1000 7 {Flow} ActivityNames {{ Source = Shop, Name = Pack, Trace = , Span = 00000000000000aa, Parent = 00000000000000bb }}",
            Decode(KnownEvents.ActivityStart, payload));
    }

    [Theory]
    [InlineData("TeamHub/Export", "TeamHub/Export")]
    [InlineData("", "Pack")]
    public void A_display_name_says_more_than_the_name(string told, string name)
    {
        var payload = Payload(("SpanId", "00000000000000aa"), ("DisplayName", told));
        Assert.Contains($"Source = Shop, Name = {name},", Decode(KnownEvents.ActivityStart, payload), StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_span_of_its_own_an_activity_cannot_be_told_from_others()
    {
        Assert.Empty(Decode(KnownEvents.ActivityStart, Payload(("TraceId", "1"))));
        Assert.Empty(Decode(KnownEvents.ActivityStart, Payload(("SpanId", ""))));
        Assert.Empty(Decode(KnownEvents.ActivityStart, Payload(("SpanId", "0000000000000000"))));
    }

    [Fact]
    public void A_cut_payload_tells_nothing()
    {
        var whole = Convert.FromHexString(Recorded);
        for (var length = 0; length < whole.Length; length++)
        {
            Assert.Empty(Decode(KnownEvents.ActivityStart, whole[..length]));
        }
    }

    private static byte[] Payload(params (string Key, string Value)[] properties) =>
    [
        .. Encoding.Unicode.GetBytes("Shop\0Pack\0"), .. BitConverter.GetBytes((ushort)properties.Length),
        .. Encoding.Unicode.GetBytes(string.Concat(properties.Select(p => $"{p.Key}\0{p.Value}\0"))),
    ];

    /// <returns>The calls that report the activity itself.</returns>
    private static string Decode(int id, byte[] payload)
    {
        var calls = new CallLog();
        new EventDecoder(calls).Decode(new RawEvent(Provider, id, 1000, 7, 8, payload, null, Flow));
        return string.Join('\n', calls.ToString().Split('\n').Where(call => !call.StartsWith("ThreadAt", StringComparison.Ordinal)));
    }
}
