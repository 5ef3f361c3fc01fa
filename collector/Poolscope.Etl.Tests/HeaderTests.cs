using System.Buffers.Binary;
using Poolscope.Etl.Format;
using Poolscope.Fuzz.Corpus;
using Xunit;

namespace Poolscope.Etl.Tests;

/// <summary>Every kind of header is read, of both pointer sizes, on every clock.</summary>
public sealed class HeaderTests
{
    private const long First = 100_000_000;
    private static readonly Guid Provider = Guid.Parse("8e9f5090-2d75-4d03-8a81-e5afbf85daf1");
    private static readonly Guid ThreadClass = Guid.Parse("3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c");
    private static readonly Guid Activity = Guid.Parse("00000001-0000-0000-0000-000000000002");
    private static readonly Guid Around = Guid.Parse("00000001-0000-0000-0000-000000000003");

    [Theory]
    [InlineData(8, false)]
    [InlineData(8, true)]
    [InlineData(4, false)]
    [InlineData(4, true)]
    public void Every_header_tells_what_it_holds(int pointerSize, bool compressed)
    {
        var writer = new EtlWriter(new EtlWriting { PointerSize = pointerSize, Compressed = compressed, BufferBytes = 1024 });
        writer.Kernel(KernelHooks.Switch, First + 10, cpu: 1, [1, 2, 3]);
        writer.Kernel(KernelHooks.ThreadStart, First + 20, cpu: 0, [4, 5], pid: 7, tid: 9);
        writer.Compact(KernelHooks.ThreadEnd, First + 30, cpu: 1, [6], pid: 7, tid: 9);
        writer.Classic(ThreadClass, 0x24, First + 40, cpu: 0, [7, 8], pid: 7, tid: 9);
        writer.Classic(Provider, 5, First + 50, cpu: 0, [], pid: 7, tid: 9);
        writer.Message(cpu: 0, [1, 1, 1]);
        writer.Manifest(Provider, 30, First + 60, cpu: 300, pid: 7, tid: 9, [9, 9]);
        writer.Manifest(
            Provider, 31, First + 70, 0, 7, 9, [9], Activity, (1, Around.ToByteArray()), (12, [1, 2, 3]), (6, [.. new byte[8], .. Address(0x7ff6_0000_1000), .. Address(0x7ff6_0000_2000)]));
        writer.Manifest(Provider, 32, First + 80, 0, 7, 9, [], default, (5, [.. new byte[8], 0, 0x10, 0, 0]), (18, [.. new byte[8], .. Address(0xABCD)]));
        using var file = new WrittenFile(writer.ToFile());

        var told = file.Read(e => $"{(e.Time / 100) - First} {e.Cpu} {e.Kind} {e.Hook:x4} {e.Pid} {e.Tid} {e.Id} {e.PointerSize} {Convert.ToHexString(e.Payload)} {Stack(e)}{e.StackKey:x} {e.Activity == Activity} {e.Related == Around}");

        Assert.Equal(
            [
                $"10 1 PerfInfo 0524 -1 -1 0 {pointerSize} 010203 0 False False",
                $"20 0 System 0501 7 9 0 {pointerSize} 0405 0 False False",
                $"30 1 System 0502 7 9 0 {pointerSize} 06 0 False False",
                $"40 0 Classic 0524 7 9 0 {pointerSize} 0708 0 False False",
                $"50 0 Classic  7 9 0 {pointerSize}  0 False False",
                "50 0 Other  -1 -1 0 8 010101 0 False False",
                $"60 300 Manifest  7 9 30 {pointerSize} 0909 0 False False",
                $"70 0 Manifest  7 9 31 {pointerSize} 09 7ff600001000 7ff600002000 0 True True",
                $"80 0 Manifest  7 9 32 {pointerSize}  1000 abcd False False",
            ],
            told.Lines);
        Assert.Equal((false, null, 0), (told.IsCut, told.Damage, told.Losses.Count));
    }

    [Theory]
    [InlineData(1, 10_000_000, 0, 250, 25_000)]
    [InlineData(1, 3_579_545, 0, 3_579_545, 1_000_000_000)]
    [InlineData(2, 0, 132_999_999_000_000_000, 250, 25_000)]
    [InlineData(3, 0, 0, 3_000_000, 1_000_000)]
    public void Every_clock_gives_nanoseconds(int clock, long frequency, long boot, long ticks, long ns)
    {
        var writer = new EtlWriter(new EtlWriting { Clock = clock, PerfFreq = frequency, FirstTicks = First + boot });
        writer.Kernel(KernelHooks.Switch, First + boot + ticks, 0, []);
        using var file = new WrittenFile(writer.ToFile());
        using var opened = Poolscope.Etl.Reading.EtlFile.Open(file.Path);
        var first = opened.Clock.FirstNs;
        Assert.InRange(long.Parse(Assert.Single(file.Read(e => $"{e.Time - first}").Lines)), ns - 1, ns + 1);
    }

    [Fact]
    public void The_file_s_header_is_read_in_both_pointer_sizes()
    {
        foreach (var pointerSize in new[] { 4, 8 })
        {
            using var file = new WrittenFile(new EtlWriter(new EtlWriting { PointerSize = pointerSize, EventsLost = 7, BuffersLost = 2, Mode = 2 }).ToFile());
            using var opened = Poolscope.Etl.Reading.EtlFile.Open(file.Path);
            var header = opened.Header;
            Assert.Equal((pointerSize, 7u, 2u, 10, 19045, 2), (header.PointerSize, header.EventsLost, header.BuffersLost, header.OsMajor, header.OsBuild, header.Processors));
            Assert.Equal(("Session", "C:\\trace.etl", true, -60), (header.SessionName, header.FileName, header.IsCircular, header.UtcOffsetMinutes));
        }
    }

    private static byte[] Address(long address) => BitConverter.GetBytes(address);

    private static string Stack(EtlEvent e)
    {
        var text = "";
        for (var at = 0; at < e.Stack.Length; at += e.StackPointerSize)
        {
            var address = e.StackPointerSize == 8 ? BinaryPrimitives.ReadUInt64LittleEndian(e.Stack[at..]) : BinaryPrimitives.ReadUInt32LittleEndian(e.Stack[at..]);
            text += $"{address:x} ";
        }

        return text;
    }
}
