using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Rings;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Switches come from a tracepoint, from the perf core, or from both. The reader finds the same ones, sifted
/// or not.</summary>
public sealed class RecordSieveTests : IDisposable
{
    private const ulong Tracepoint = 21;
    private const ulong Core = 22;

    private const string Format = """
        name: sched_switch
        ID: 5
        format:
        	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
        	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
        	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
        	field:int common_pid;	offset:4;	size:4;	signed:1;

        	field:pid_t prev_pid;	offset:8;	size:4;	signed:1;
        	field:long prev_state;	offset:16;	size:8;	signed:1;
        	field:pid_t next_pid;	offset:24;	size:4;	signed:1;

        print fmt: ""
        """;

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-sieve").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void What_is_left_out_told_nothing(int seed)
    {
        var random = new Random(seed);
        var records = new List<byte[]>();
        var (current, told, both) = (0, 0, 0);
        for (var time = 10L; time < 4000; time += 10)
        {
            var next = random.Next(5);
            var traced = random.Next(3) > 0;
            if (traced)
            {
                records.Add(Traced(current, next, time));
            }

            records.Add(Wide(current, next, time + 1, leaves: true));
            records.Add(Wide(next, current, time + 2, leaves: false));
            told += traced ? 1 : 0;
            both += traced ? 3 : 2;
            current = next;
        }

        var all = records.SelectMany(r => r).ToArray();
        var sieve = new RecordSieve(new EventTable(Events()));
        var sifted = new List<byte>();
        for (var at = 0; at < all.Length;)
        {
            // The end of a buffer may split a record.
            var piece = all.AsSpan(at, Math.Min(all.Length - at, random.Next(120, 700))).ToArray();
            sifted.AddRange(piece.AsSpan(0, sieve.Sift(piece, out var taken)));
            at += taken;
        }

        Assert.Equal(Switches(all), Switches([.. sifted]));
        Assert.InRange(sifted.Count, 1, (all.Length * 2) / 3);
        Assert.Equal(told, sieve.Events);
        Assert.Equal(both, records.Count);
    }

    [Fact]
    public void Without_the_core_s_records_everything_stays_and_is_counted()
    {
        var lost = new RecordBuilder(Core);
        lost.Lost(0, time: 5, count: 3);
        lost.Lost(0, time: 6, count: 4);
        var bytes = (byte[])[.. lost.Records, .. Wide(1, 2, 7, leaves: true), .. Traced(1, 2, 8)];
        var before = bytes.ToArray();
        var sieve = new RecordSieve(null);

        Assert.Equal(bytes.Length, sieve.Sift(bytes, out var taken));
        Assert.Equal(bytes.Length, taken);
        Assert.Equal(before, bytes);
        Assert.Equal((1, 7), (sieve.Events, sieve.Lost));
    }

    private static RecordedEvent[] Events()
    {
        var tracepoint = SchedulerEvents.Dummy().Attr with
        {
            Type = PerfEventType.Tracepoint,
            Config = 5,
            SampleType = SampleFields.Identifier | SampleFields.Tid | SampleFields.Time | SampleFields.Cpu | SampleFields.Raw,
        };
        return [new RecordedEvent("sched:sched_switch", tracepoint, [Tracepoint], Format), new RecordedEvent("dummy", SchedulerEvents.Dummy().Attr, [Core], null)];
    }

    private List<(long, int, int)> Switches(byte[] records)
    {
        using (var writer = new PerfDataWriter(Path.Combine(_folder, SchedulerRecording.DataFileName), Events()))
        {
            // Never completed, so sched.meta.json describes the tracepoint.
            SchedulerMeta.Of(writer.DataOffset, Events()).Save(Path.Combine(_folder, SchedulerRecording.MetaFileName));
            writer.Append(records);
        }

        var sink = new Sink();
        PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);
        return sink.Switches;
    }

    // identifier, pid and tid, time, cpu, then the raw part: its length, and 28 bytes
    private static byte[] Traced(int prev, int next, long time) => HandMade.Record(
        RecordType.Sample, Tracepoint, (ulong)prev << 32, (ulong)time, 0, 28 | (5UL << 32), (uint)prev | ((ulong)prev << 32), 1UL << 32, (ulong)next << 32);

    private static byte[] Wide(int thread, int other, long time, bool leaves)
    {
        var record = HandMade.Record(
            RecordType.SwitchCpuWide, (uint)other | ((ulong)other << 32), 100 | ((ulong)thread << 32), (ulong)time, 0, Core);
        record[5] = (byte)(leaves ? RecordMisc.SwitchOut >> 8 : 0);
        return record;
    }

    private sealed class Sink : ISchedulerEvents
    {
        internal List<(long Time, int Left, int Came)> Switches { get; } = [];

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => Switches.Add((time, prevTid, nextTid));
    }
}
