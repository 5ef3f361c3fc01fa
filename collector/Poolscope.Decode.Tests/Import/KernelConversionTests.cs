using Poolscope.Decode.Import;
using Poolscope.Fuzz.Corpus;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>The switches and wake-ups that perf recorded stay the same when written as tracepoints into a file of
/// version 6 and converted back to a perf.data file.</summary>
public sealed class KernelConversionTests
{
    [Fact]
    public void Nothing_is_changed_on_the_way()
    {
        using var files = new ForeignFiles();
        var cancel = TestContext.Current.CancellationToken;
        var recorded = new Noted();
        Read(Path.GetDirectoryName(files.Scheduler)!, recorded, cancel);
        var trace = files.PathOf("kernel.nettrace");
        File.WriteAllBytes(trace, Written(recorded));

        var folder = files.NewCapture();
        KernelConversion.Write(trace, Path.Combine(folder, "sched.perf.data"), cancel);
        var made = new Noted();
        Read(folder, made, cancel);

        Assert.True(recorded.Lines.Count > 1000, $"{recorded.Lines.Count} events");
        Assert.Equal(recorded.Lines, made.Lines);
    }

    private static void Read(string folder, Noted noted, CancellationToken cancellation) =>
        PerfDataReader.Read(folder, noted, long.MinValue, long.MaxValue, byAnyTool: true, cancellation);

    private static byte[] Written(Noted recorded)
    {
        var writer = new NettraceV6Writer();
        writer.Header([0xea, 7, 3, 0, 2, 0, 3, 0, .. new byte[16], .. BitConverter.GetBytes(1_000_000_000L), 8, 0, 0, 0]);
        writer.Metadata(Tracepoints.SwitchDescription(1), Tracepoints.OtherDescription(2, "sched_waking"), Tracepoints.OtherDescription(3, "sched_wakeup"), Tracepoints.OtherDescription(4, "sched_wakeup_new"));
        writer.Threads(recorded.Events.Select(e => e.Thread).Append(0).Distinct().Select(tid => ((ulong)tid, (int?)1, (long?)tid)));
        uint number = 0;
        writer.Events([.. recorded.Events.Select(e => new EventV6(e.Kind, (ulong)e.Thread, 0, ++number, e.Cpu, 0, e.Time, 0, true, e.Payload))], compressed: true);
        writer.End();
        return writer.File;
    }

    private sealed class Noted : ISchedulerEvents
    {
        public List<string> Lines { get; } = [];

        public List<(long Time, int Cpu, int Kind, int Thread, byte[] Payload)> Events { get; } = [];

        public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
        {
            if (prevState >= 0)
            {
                Lines.Add($"{time} {cpu} {prevTid} {prevState} {nextTid}");
                Events.Add((time, cpu, 1, prevTid, Tracepoints.Switch(prevTid, prevState, nextTid)));
            }
        }

        public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
        {
            Lines.Add($"{time} {cpu} {wakeup} {waker} {wakee} {targetCpu}");
            Events.Add((time, cpu, 2 + (int)wakeup, Math.Max(waker, 0), Tracepoints.Wakeup(waker, wakee, targetCpu)));
        }
    }
}
