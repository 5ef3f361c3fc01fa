using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>A thread that inherited the recorder's event and also got one of its own is sampled by both.</summary>
public sealed class TwiceSampledTests : IDisposable
{
    private const int Pid = 100;
    private const ulong Inherited = 11;
    private const ulong Own = 12;

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-twice").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Of_two_events_that_sample_a_thread_on_a_cpu_one_counts_until_the_id_is_used_again()
    {
        var request = SchedulerEvents.OwnThreads(99);
        var recorded = new RecordedEvent(request.Name, request.Attr, [Inherited, Own], null);
        using (var writer = new PerfDataWriter(Path.Combine(_folder, SchedulerRecording.DataFileName), [recorded]))
        {
            writer.Append(Sample(Inherited, tid: 7, cpu: 0, time: 10));
            writer.Append(Sample(Own, tid: 7, cpu: 0, time: 11)); // again
            writer.Append(Sample(Own, tid: 7, cpu: 1, time: 12));
            writer.Append(Sample(Own, tid: 8, cpu: 0, time: 13));
            writer.Append(Sample(Inherited, tid: 7, cpu: 0, time: 20));
            writer.Append(Exit(tid: 7, time: 30));
            writer.Append(Sample(Own, tid: 7, cpu: 0, time: 40)); // another thread
            writer.Complete(new Dictionary<HeaderFeature, byte[]>());
        }

        var sink = new Sink();
        var read = PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);

        Assert.Equal([10L, 12, 13, 20, 40], sink.Times);
        Assert.Equal(6, read.Events);
    }

    // identifier, ip, pid, tid, time, cpu, period | chain: its length, the marker of user space, one address
    private static byte[] Sample(ulong id, int tid, int cpu, long time) => HandMade.Record(
        RecordType.Sample, id, 0x1000, Thread(tid), (ulong)time, (ulong)cpu, 1, 2, unchecked((ulong)-512L), 0x1000);

    // pid, parent, tid, its parent, time | pid, tid, time, cpu, identifier
    private static byte[] Exit(int tid, long time) => HandMade.Record(
        RecordType.Exit, Pid | ((ulong)Pid << 32), (uint)tid | ((ulong)Pid << 32), (ulong)time, Thread(tid), (ulong)time, 0, Own);

    private static ulong Thread(int tid) => (uint)Pid | ((ulong)tid << 32);

    private sealed class Sink : ISchedulerEvents
    {
        internal List<long> Times { get; } = [];

        public void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack) => Times.Add(time);
    }
}
