using Poolscope.Decode.Streams;
using Poolscope.Etw.Reading;
using Xunit;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>Stacks of context switches show what blocks without an event: sleeps, sockets, files.</summary>
public sealed class BlockedStackTests
{
    private static readonly Guid Clr = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

    [Fact]
    public void A_block_is_a_snapshot_and_equal_stacks_are_one()
    {
        var stream = new EtwStream(pid: 100, windowStart: 0, windowEnd: 100);
        TraceFrame[] sleep = [new(null, "ntdll"), new("System.Threading.Thread.Sleep", "system.private.corelib"), new("App.Work", "app")];
        TraceFrame[] wait = [new("System.Threading.Monitor.Enter", "system.private.corelib"), new("App.Work", "app")];
        stream.BlockedAt(10, 7, sleep);
        stream.BlockedAt(20, 8, sleep);
        stream.Stack(Clr, 81, 30, 7, wait);

        var tables = stream.Tables(100).ToDictionary(t => t.Schema.Name);

        var (asleep, inMonitor) = (2, 3);
        Assert.Equal([$"10 7 {asleep}", $"20 8 {asleep}"], TableRows.Of(tables["snapshots"]));
        Assert.Equal(["0 -1 0", "1 0 1", "2 1 2", $"{inMonitor} 0 3"], TableRows.Of(tables["stacks"]));
        Assert.Equal(
            [
                "App.Work app resolved - -1 absent",
                "System.Threading.Thread.Sleep system.private.corelib resolved - -1 absent",
                "- - unresolved - -1 absent",
                "System.Threading.Monitor.Enter system.private.corelib resolved - -1 absent",
            ],
            TableRows.Of(tables["frames"]));
    }
}
