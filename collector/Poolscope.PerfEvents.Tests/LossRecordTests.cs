using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Records that a quiet machine does not write are read from a file built by hand.</summary>
public sealed class LossRecordTests : IDisposable
{
    private const ulong Id = 77;

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-sched").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Throttling_is_from_one_record_to_the_other_of_a_cpu()
    {
        var sink = Read(
            Record(RecordType.Throttle, 100, cpu: 0, 100, 1, 1),
            Record(RecordType.Throttle, 110, cpu: 1, 110, 2, 2),
            Record(RecordType.Unthrottle, 150, cpu: 0, 150, 1, 1),
            Record(RecordType.Unthrottle, 160, cpu: 0, 160, 1, 1), // of an event that was not throttled
            Record(RecordType.Throttle, 200, cpu: 0, 200, 1, 1));

        Assert.Equal([(100, 150, 0), (110, -1, 1), (200, -1, 0)], sink.Throttled.Order());
    }

    [Fact]
    public void Both_kinds_of_loss_lie_between_their_neighbours_on_the_cpu()
    {
        var sink = Read(
            Record(RecordType.Unthrottle, 100, cpu: 0, 0, 0, 0),
            Record(RecordType.Unthrottle, 120, cpu: 1, 0, 0, 0),
            Record(RecordType.Lost, 150, cpu: 0, Id, 5),
            Record(RecordType.LostSamples, 170, cpu: 1, 3));

        Assert.Equal([(100, 150, 0, 5), (120, 170, 1, 3)], sink.Gaps);
    }

    [Theory]
    [InlineData((int)RecordType.Lost)]
    [InlineData((int)RecordType.LostSamples)]
    [InlineData((int)RecordType.SwitchCpuWide)]
    public void Before_the_recording_only_what_was_there_is_described(int type)
    {
        // As an index into a list, this CPU would take gigabytes.
        var sink = new Sink();
        var read = Read(sink, Record((RecordType)type, 0, cpu: int.MaxValue, Id, 5));

        Assert.Contains("impossible time or CPU", read.Damage, StringComparison.Ordinal);
        Assert.Empty(sink.Gaps);
    }

    private Sink Read(params byte[][] records)
    {
        var sink = new Sink();
        Read(sink, records);
        return sink;
    }

    private PerfDataSummary Read(Sink sink, params byte[][] records)
    {
        var recorded = new RecordedEvent("dummy:HG", SchedulerEvents.Dummy().Attr, [Id], null);
        using (var writer = new PerfDataWriter(Path.Combine(_folder, SchedulerRecording.DataFileName), [recorded]))
        {
            SchedulerMeta.Of(writer.DataOffset, [recorded]).Save(Path.Combine(_folder, SchedulerRecording.MetaFileName));
            foreach (var record in records)
            {
                writer.Append(record);
            }
        }

        return PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);
    }

    /// <summary>Builds a record: the body, and the trailer TID TIME CPU IDENTIFIER.</summary>
    private static byte[] Record(RecordType type, ulong time, int cpu, params ulong[] body) =>
        HandMade.Record(type, [.. body, 0, time, (ulong)cpu, Id]);

    private sealed class Sink : ISchedulerEvents
    {
        public List<(long, long, int)> Throttled { get; } = [];

        public List<(long, long, int, long)> Gaps { get; } = [];

        public void Lost(long after, long before, int cpu, long count) => Gaps.Add((after, before, cpu, count));

        public void SamplesThrottled(long start, long end, int cpu) => Throttled.Add((start, end, cpu));
    }
}
