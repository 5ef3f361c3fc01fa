using System.Text;
using Poolscope.Etl.Format;
using Poolscope.Etw.Reading;
using Poolscope.Fuzz.Corpus;
using Xunit;

namespace Poolscope.Etw.Tests;

/// <summary>A raw trace shows its machine, its processes, and what is missing.</summary>
public sealed class EtlTraceTests : IDisposable
{
    private const long First = 100_000_000;
    private const long Ms = 10_000;
    private static readonly Guid Framework = Guid.Parse("8e9f5090-2d75-4d03-8a81-e5afbf85daf1");
    private static readonly Guid Clr = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-etl-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    public void Processes_have_names_work_items_and_a_runtime(int width)
    {
        var writer = new EtlWriter(new EtlWriting { PointerSize = width });
        writer.Kernel(KernelHooks.Machine, First, 0, [.. U32(3000), .. U32(12), .. U32(8192), .. U32(4096), .. U32(65536), .. Encoding.Unicode.GetBytes("SERVER\0")]);
        writer.Kernel(KernelHooks.ProcessExists, First + 1, 0, Process(width, 7, "old.exe", "old", sid: true), version: 4);
        writer.Kernel(KernelHooks.ProcessEnd, First + Ms, 0, Process(width, 7, "old.exe", "old", sid: true), version: 4);
        writer.Kernel(KernelHooks.ProcessStart, First + (2 * Ms), 0, Process(width, 7, "w3wp.exe", "w3wp -ap x", sid: false), version: 4);
        writer.Kernel(KernelHooks.ProcessStart, First + (2 * Ms), 0, Process(width, 9, "C:\\apps\\my.app.exe", "", sid: true), version: 4);
        writer.Kernel(KernelHooks.ImageLoad, First + (3 * Ms), 0, Image(width, 7, "\\Device\\HarddiskVolume2\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319\\clr.dll"), version: 3);
        writer.Kernel(KernelHooks.ImageLoad, First + (3 * Ms), 0, Image(width, 9, "C:\\dotnet\\coreclr.dll"), version: 3);
        writer.Manifest(Framework, 65534, First + (4 * Ms), 0, 9, 90, [1]);
        writer.Manifest(Framework, 30, First + (5 * Ms), 0, 9, 90, new byte[8]);
        writer.Manifest(Framework, 31, First + (6 * Ms), 0, 9, 91, new byte[8]);
        writer.Manifest(Clr, 187, First + (7 * Ms), 0, 11, 110, [1, 0, 1, 0, .. new byte[16], .. U32(0), 1, .. Encoding.Unicode.GetBytes("svc.exe -k\0")]);
        writer.Kernel(KernelHooks.Switch, First + (900 * Ms), 0, []);

        using var trace = Open(writer);

        Assert.Equal(
            ["7 w3wp 'w3wp -ap x' 0 True", "9 my.app '' 2 False", "11 Process(11) 'svc.exe -k' 0 True"],
            trace.Processes.OrderBy(p => p.Pid).Select(p => $"{p.Pid} {p.Name} '{p.CommandLine}' {p.PoolEvents} {p.IsFramework}"));
        Assert.Equal(("SERVER", 8192L << 20, "Windows 10.0", "19045", 2, width), (trace.MachineName, trace.MemoryBytes, trace.OsName, trace.OsBuild, trace.Processors, trace.PointerSize));
        Assert.Equal((100 * First, 100 * (First + (900 * Ms))), (trace.FirstNs, trace.LastNs));
        Assert.Equal(100 * (First + (4 * Ms)), trace.WorkItemsFromNs(9));
        Assert.Equal(trace.FirstNs, trace.WorkItemsFromNs(7));
        Assert.Equal(new DateTime(2022, 6, 17, 18, 13, 20, DateTimeKind.Utc), trace.StartUtc, TimeSpan.FromDays(200));
    }

    [Fact]
    public void A_circular_file_is_complete_from_the_end_of_its_oldest_buffer_on()
    {
        var writer = new EtlWriter(new EtlWriting { Mode = 2, BufferBytes = 512 });
        for (var i = 1; i <= 100; i++)
        {
            writer.Manifest(Framework, 30, First + (i * Ms), i % 2, 9, 90, new byte[8]);
        }

        using var trace = Open(writer, rotate: 7);
        Assert.InRange(trace.WorkItemsFromNs(9), 100 * (First + (5 * Ms)), 100 * (First + (10 * Ms)));
    }

    [Fact]
    public void A_cut_file_is_complete_until_its_first_processor_ends()
    {
        var writer = new EtlWriter(new EtlWriting { EndTime = 0 });
        writer.Kernel(KernelHooks.Switch, First + 1, 3, []);
        writer.Manifest(Framework, 65534, First + Ms, 0, 9, 90, [1]);
        for (var i = 2; i <= 100; i++)
        {
            writer.Manifest(Framework, 30, First + (i * Ms), i <= 60 ? i % 2 : 1, 9, 90, new byte[8]);
        }

        using var trace = Open(writer);
        var read = trace.Read(9, new RecordedCalls(), new RecordedStacks(), static (_, _) => false, CancellationToken.None);
        Assert.Equal((100 * (First + (60 * Ms)), 1 + 1 + 60), (trace.LastNs, read.Events));
    }

    [Fact]
    public void What_the_header_counts_may_have_been_lost_at_any_time()
    {
        var writer = new EtlWriter(new EtlWriting { EventsLost = 5, BuffersLost = 2 });
        writer.Flag(1, 0x02);
        writer.Kernel(KernelHooks.Switch, First + Ms, 1, KernelPayloads.Switch(7, 0, 5));
        var (summary, calls) = Read(writer);
        Assert.Equal((7, false, new TraceLoss(-1, -1, 7)), (summary.Lost, summary.Cut, Assert.Single(summary.Losses)));
        Assert.Contains("Lost -1 -1 -1 7", calls);
    }

    [Fact]
    public void A_file_that_was_never_closed_tells_of_losses_by_its_buffers()
    {
        var writer = new EtlWriter(new EtlWriting { EndTime = 0 });
        writer.Kernel(KernelHooks.Switch, First + Ms, 1, KernelPayloads.Switch(7, 0, 5));
        writer.Flush(1);
        writer.Flag(1, 0x04);
        writer.Kernel(KernelHooks.Switch, First + (2 * Ms), 1, KernelPayloads.Switch(0, 7, 5));
        var (summary, calls) = Read(writer);
        Assert.Equal((1, true, 2), (summary.Lost, summary.Cut, summary.Switches));
        Assert.Contains($"Lost {100 * (First + Ms)} {100 * (First + (2 * Ms))} 1 1", calls);
    }

    [Fact]
    public void Damage_is_told_and_the_rest_is_read()
    {
        var writer = new EtlWriter(new EtlWriting());
        writer.Kernel(KernelHooks.Switch, First + Ms, 1, KernelPayloads.Switch(7, 0, 5));
        writer.Raw(1, [9, 9, 9, 9, 9, 9, 9, 9]);
        writer.Kernel(KernelHooks.Switch, First + (2 * Ms), 0, KernelPayloads.Switch(8, 0, 5));
        var (summary, _) = Read(writer);
        Assert.Equal((2, true), (summary.Switches, summary.Cut));
        Assert.Contains("no event can begin", summary.Damage, StringComparison.Ordinal);
    }

    private static byte[] U32(int value) => BitConverter.GetBytes(value);

    private static byte[] Pointer(int width, long value) => BitConverter.GetBytes(value)[..width];

    private static byte[] Process(int width, int pid, string image, string command, bool sid) =>
    [
        .. Pointer(width, 0x99), .. U32(pid), .. U32(4), .. U32(1), .. U32(259), .. Pointer(width, 0x1000), .. U32(0),
        .. sid ? [.. Pointer(width, 1), .. Pointer(width, 2), 1, 2, 0, 0, 0, 0, 0, 5, .. U32(18), .. U32(19)] : U32(0),
        .. Encoding.ASCII.GetBytes(image + '\0'), .. Encoding.Unicode.GetBytes(command + '\0'),
    ];

    private static byte[] Image(int width, int pid, string path) =>
        [.. Pointer(width, 0x1000), .. Pointer(width, 0x1000), .. U32(pid), .. new byte[12], .. Pointer(width, 0x1000), .. new byte[16], .. Encoding.Unicode.GetBytes(path + '\0')];

    private EtlTrace Open(EtlWriter writer, int rotate = 0)
    {
        var path = Path.Combine(_folder, "kernel.etl");
        File.WriteAllBytes(path, writer.ToFile(rotate));
        return EtlTrace.Open(path, _folder);
    }

    private (TraceSummary Summary, List<string> Calls) Read(EtlWriter writer)
    {
        using var trace = Open(writer);
        var calls = new RecordedCalls();
        return (trace.Read(7, calls, new RecordedStacks(), static (_, _) => true, CancellationToken.None), calls.Calls);
    }
}
