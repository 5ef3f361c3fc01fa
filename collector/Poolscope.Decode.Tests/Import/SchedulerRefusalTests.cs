using System.Buffers.Binary;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>A perf.data file is refused if its states would be wrong, if it belongs to another trace, or if it is
/// incomplete.</summary>
public sealed class SchedulerRefusalTests : IDisposable
{
    // struct perf_file_header and perf_event_attr.
    private const int AttrSize = 16;
    private const int Attrs = 24;
    private const int DataSize = 48;
    private const int Features = 72;
    private const int Period = 16;
    private const int SampleType = 24;
    private const int CpuField = 1 << 7;
    private const int Flags = 40;
    private const int Clock = 92;
    private const int FrequencyBit = 10;
    private const int UseClockBit = 25;
    private const int CompressedFeature = 27;

    // The header of a .nettrace, and in it the wall clock's minute, the ticks and the process.
    private const int TraceHeader = 53;
    private const int Minute = TraceHeader + 10;
    private const int Process = TraceHeader + 36;

    private readonly ForeignFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void The_two_files_go_together() => Open();

    [Theory]
    [InlineData("clock", "-k CLOCK_MONOTONIC")]
    [InlineData("raw", "CLOCK_MONOTONIC_RAW")]
    [InlineData("frequency", "because of -F or -c")]
    [InlineData("period", "because of -F or -c")]
    [InlineData("compressed", "without -z")]
    [InlineData("incomplete", "did not come to its end")]
    [InlineData("pipe", "into a pipe")]
    [InlineData("other order", "other byte order")]
    [InlineData("text", "in a form that is not known")]
    [InlineData("empty", "is empty")]
    [InlineData("without cpu", "without their thread, time or CPU, as of one process")]
    [InlineData("profile", "holds no event sched:sched_switch")]
    public void What_the_states_cannot_be_made_from_is_refused(string how, string expected)
    {
        ForeignFiles.Change(_files.Scheduler, bytes => Changed(bytes, how));
        Assert.Contains(expected, Refused(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_trace_of_another_start_of_the_machine_is_refused()
    {
        ForeignFiles.Change(_files.Trace, bytes =>
        {
            bytes[Minute] = (byte)((bytes[Minute] + 5) % 60);
            return bytes;
        });
        Assert.Contains("another machine or another start of it", Refused(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_trace_of_a_process_whose_threads_perf_does_not_know_is_refused()
    {
        ForeignFiles.Change(_files.Trace, bytes =>
        {
            BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(Process), 1);
            return bytes;
        });
        Assert.Contains("in a container", Refused(), StringComparison.Ordinal);
    }

    private static byte[] Changed(byte[] bytes, string how)
    {
        switch (how)
        {
            case "text":
                return "app 123 [001] 64540.338237: sched:sched_switch: nonsense\n"u8.ToArray();
            case "empty":
                return [];
            case "pipe":
                BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(8), 16);
                return bytes;
            case "other order":
                bytes.AsSpan(0, 8).Reverse();
                return bytes;
            case "incomplete":
                BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(DataSize), 0);
                return bytes;
            case "compressed":
                bytes[Features + (CompressedFeature / 8)] |= 1 << (CompressedFeature % 8);
                return bytes;
        }

        var (at, end) = ((int)BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(Attrs)), (int)BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(Attrs + 8)));
        for (end += at; at < end; at += (int)BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(AttrSize)))
        {
            var attr = bytes.AsSpan(at);
            switch (how)
            {
                case "clock":
                    attr[Flags + (UseClockBit / 8)] &= unchecked((byte)~(1 << (UseClockBit % 8)));
                    break;
                case "raw":
                    BinaryPrimitives.WriteInt32LittleEndian(attr[Clock..], 4);
                    break;
                case "without cpu" or "profile":
                    attr[SampleType] &= unchecked((byte)~CpuField);
                    break;
                case "frequency":
                    attr[Flags + (FrequencyBit / 8)] |= 1 << (FrequencyBit % 8);
                    break;
                case "period":
                    BinaryPrimitives.WriteInt64LittleEndian(attr[Period..], 2);
                    break;
            }
        }

        return how == "profile" ? Renamed(bytes) : bytes;
    }

    /// <summary>Renames sched_switch, so that no event has this name.</summary>
    private static byte[] Renamed(byte[] bytes)
    {
        for (int at; (at = bytes.AsSpan().IndexOf("name: sched_switch\n"u8)) >= 0;)
        {
            "name: sched_sampled"u8[..^1].CopyTo(bytes.AsSpan(at));
        }

        return bytes;
    }

    private void Open() => NettraceImport.Open(_files.Trace, _files.Scheduler, null, TestContext.Current.CancellationToken);

    private string Refused() => Assert.Throws<CaptureRefusedException>(Open).Message;
}
