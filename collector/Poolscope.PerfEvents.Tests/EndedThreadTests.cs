using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>A thread that has ended leaves its CPU for good. By then the kernel has no id for it and writes
/// -1.</summary>
public sealed class EndedThreadTests : IDisposable
{
    private const uint Nobody = uint.MaxValue;
    private const ulong Event = 11;

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-ended").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_one_that_was_there_leaves()
    {
        var request = SchedulerEvents.OwnThreads(99);
        using (var writer = new PerfDataWriter(
            Path.Combine(_folder, SchedulerRecording.DataFileName), [new RecordedEvent(request.Name, request.Attr, [Event], null)]))
        {
            writer.Append(Came(tid: 7, after: Nobody, time: 10)); // the first event: the thread before is unknown
            writer.Append(Came(tid: 8, after: Nobody, time: 20));
            writer.Append(Came(tid: 9, after: 8, time: 30));
            writer.Complete(new Dictionary<HeaderFeature, byte[]>());
        }

        var sink = new Sink();
        PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);

        Assert.Equal([(10L, 0, 7), (20L, 7, 8), (30L, 8, 9)], sink.Switches);
    }

    // pid and tid of the thread that left | pid and tid of the thread that came, time, cpu, identifier
    private static byte[] Came(uint tid, uint after, long time) => HandMade.Record(
        RecordType.SwitchCpuWide, after | ((ulong)after << 32), 100 | ((ulong)tid << 32), (ulong)time, 0, Event);

    private sealed class Sink : ISchedulerEvents
    {
        internal List<(long Time, int Left, int Came)> Switches { get; } = [];

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => Switches.Add((time, prevTid, nextTid));
    }
}
