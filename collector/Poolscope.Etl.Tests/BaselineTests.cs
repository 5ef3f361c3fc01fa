using System.Buffers.Binary;
using Poolscope.Etl.Files;
using Poolscope.Etl.Format;
using Poolscope.Etl.Reading;
using Xunit;

namespace Poolscope.Etl.Tests;

/// <summary>Files of real Windows machines give the events that TraceEvent read from them on Windows.</summary>
public sealed class BaselineTests
{
    // TraceEvent works out the owner of a kernel event; the file has the interrupted thread.
    private static readonly string[] WhoAndWhere = ["PID", "TID"];

    [Theory]
    [InlineData("net.4.5.2.x64", 100)]
    [InlineData("gcevents", 21)]
    public void Counts_are_equal(string name, int kinds)
    {
        var baseline = Baseline.Of($"{name}.baseline.txt");
        var counts = new Dictionary<EventKey, int>();
        Read(name, e => counts[EventKey.Of(e)] = counts.GetValueOrDefault(EventKey.Of(e)) + 1);

        var compared = baseline.Counts.Where(count => KnownEvents.ByName.ContainsKey(count.Key)).ToList();

        Assert.True(compared.Count >= kinds, $"{compared.Count} kinds compared");
        Assert.All(compared, count => Assert.Equal(count, KeyValuePair.Create(count.Key, counts.GetValueOrDefault(KnownEvents.ByName[count.Key]))));
    }

    /// <summary>The baseline omits samples of idle processors.</summary>
    [Fact]
    public void Samples_are_those_of_the_baseline_and_the_idle_ones()
    {
        var (all, busy) = (0, 0);
        Read("net.4.5.2.x64", e =>
        {
            if (e.Hook == KernelHooks.Sample)
            {
                all++;
                busy += BinaryPrimitives.ReadInt32LittleEndian(e.Payload[8..]) == 0 ? 0 : 1;
            }
        });
        Assert.Equal((79_528, 6_215), (all, busy));
        Assert.InRange(Baseline.Of("net.4.5.2.x64.baseline.txt").Counts["Windows Kernel/PerfInfo/Sample"], busy, all);
    }

    [Theory]
    [InlineData("net.4.5.2.x64", 300)]
    [InlineData("gcevents", 50)]
    public void The_first_events_of_each_kind_are_equal(string name, int least)
    {
        var baseline = Baseline.Of($"{name}.baseline.txt").Events.Where(e => KnownEvents.ByName.ContainsKey(e.Name)).ToLookup(e => KnownEvents.ByName[e.Name]);
        var seen = new Dictionary<EventKey, int>();
        var compared = 0;
        Read(name, (e, first) =>
        {
            var key = EventKey.Of(e);
            var nth = seen[key] = seen.GetValueOrDefault(key) + 1;
            if (baseline[key].ElementAtOrDefault(nth - 1) is not { } expected)
            {
                return;
            }

            compared++;
            Assert.Equal(expected.Ms, Math.Round((e.Time - first) / 1e6, 3), 0.00101);
            Assert.Equal((expected.Name, expected.Number("ProceNum"), expected.Number("DataLen")), (expected.Name, e.Cpu, e.Payload.Length));
            if (e.Kind == HeaderKind.Manifest)
            {
                Assert.Equal((expected.Name, expected.Number(WhoAndWhere[0]), expected.Number(WhoAndWhere[1])), (expected.Name, e.Pid, e.Tid));
            }
        });
        Assert.True(compared >= least, $"{compared} events compared");
    }

    [Theory]
    [InlineData("net.4.5.2.x64")]
    [InlineData("gcevents")]
    public void The_file_s_header_is_equal(string name)
    {
        var expected = Baseline.Of($"{name}.baseline.txt").Events[0];
        using var files = Open(name);
        var header = files.All[0].Header;
        Assert.Equal(
            new[]
            {
                "BufferSize", "ProviderVersion", "NumberOfProcessors", "TimerResolution", "MaxFileSize", "LogFileMode", "BuffersWritten", "StartBuffers", "PointerSize",
                "EventsLost", "CPUSpeed", "PerfFreq", "ReservedFlags", "BuffersLost", "UtcOffsetMinutes",
            }.Select(expected.Number),
            [
                header.BufferBytes, header.OsBuild, header.Processors, header.TimerResolution, header.MaximumFileSize, header.LogFileMode, header.BuffersWritten, header.StartBuffers,
                header.PointerSize, header.EventsLost, header.CpuMHz, header.PerfFreq, (long)header.Clock, header.BuffersLost, header.UtcOffsetMinutes,
            ]);
        Assert.Equal(expected.Fields["SessionName"], header.SessionName);
        foreach (var (field, time) in new[] { ("EndTime", header.EndTime), ("BootTime", header.BootTime), ("StartTime", header.StartTime) })
        {
            Assert.Equal(MinuteOn(expected.Fields[field]), MinuteOn(DateTime.FromFileTimeUtc(time).ToString("yy/MM/dd HH:mm:ss.ff")));
        }
    }

    /// <summary>Returns a time without day and hour, because the time zone of the baselines is unknown.</summary>
    private static string MinuteOn(string time) => time[11..20];

    private static EtlFiles Open(string name) => EtlFiles.Open(SampleFiles.Require($"{name}.etl.zip"), Path.GetTempPath());

    private static void Read(string name, EventReader reader) => Read(name, (e, _) => reader(e));

    private static void Read(string name, EventReaderSince reader)
    {
        using var files = Open(name);
        using var merge = new EtlMerge(files.All);
        while (merge.Next())
        {
            reader(merge.Current, files.All[0].Clock.FirstNs);
        }

        Assert.Null(merge.Damage);
        Assert.Empty(merge.Losses());
    }

    private delegate void EventReader(EtlEvent e);

    private delegate void EventReaderSince(EtlEvent e, long first);
}
