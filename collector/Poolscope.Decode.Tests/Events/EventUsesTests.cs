using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Census;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Events;

/// <summary>The report states the use that the decoder makes of an event.</summary>
public sealed class EventUsesTests
{
    // In transfers between threads, 1 at offset 8 means a timer.
    private static readonly byte[] Bytes = [0, 0, 0, 0, 0, 0, 0, 0, 1, .. new byte[200]];

    private const int MostIds = 400;

    public static TheoryData<string> Providers =>
    [
        "System.Diagnostics.Eventing.FrameworkEventSource",
        "System.Threading.Tasks.TplEventSource",
        "Microsoft.AspNetCore.Hosting",
        "Microsoft-AspNetCore-Server-Kestrel",
        "System.Net.Http",
        "Microsoft-Windows-DotNETRuntime",
        ThreadEvents.RundownProvider,
        "Some-Other-Provider",
    ];

    [Theory]
    [MemberData(nameof(Providers))]
    public void An_event_that_the_decoder_takes_is_used_and_no_other_is(string provider)
    {
        for (var id = 0; id < MostIds; id++)
        {
            // Two families bypass the decoder: names of methods, and facts about the traced process.
            var use = EventUses.Of(new EventKind(provider, Guid.Empty, id));
            if (use is not (EventUse.Methods or EventUse.Process))
            {
                Assert.True(Taken(provider, id) == (use != EventUse.Nothing), $"{provider} {id}: {use}");
            }
        }
    }

    [Fact]
    public void Every_use_is_a_value_of_the_table()
    {
        var used = Schema.Current["event_counts"].Columns.Single(column => column.Name == "used");
        Assert.Equal(
            Enum.GetValues<EventUse>().Select(use => use == EventUse.WorkItems ? "work items" : use.ToString().ToLowerInvariant()), used.Values);
    }

    private static bool Taken(string provider, int id)
    {
        var calls = new CallLog();
        new EventDecoder(calls).Decode(new RawEvent(TraceEventProviders.GetEventSourceGuidFromName(provider), id, 1000, 7, 8, Bytes));
        return calls.ToString().Length > 0;
    }
}
