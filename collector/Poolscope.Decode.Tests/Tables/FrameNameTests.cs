using System.Runtime.InteropServices;
using Poolscope.Decode.Stacks;
using Poolscope.Decode.Tests.Scheduler;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Source lines, native modules, and the stacks of CPU samples.</summary>
public sealed class FrameNameTests
{
    /// <summary>The map is as an optimising compiler writes it: unsorted, an IL offset twice, an epilogue in the
    /// middle.</summary>
    [Theory]
    [InlineData(0, 0)]
    [InlineData(29, 0)]
    [InlineData(30, 7)]
    [InlineData(45, 7)]
    [InlineData(50, 23)]
    [InlineData(60, 23)]
    [InlineData(75, 7)]
    public void A_native_offset_belongs_to_the_il_offset_that_stands_before_it(uint native, int il)
    {
        int[] offsets = [-2, 7, 0, 23, 7, -3, 0, 30, 10, 50, 70, 60];

        Assert.Equal(il, InstructionMap.Read(MemoryMarshal.AsBytes<int>(offsets), 6).IlOffset(native));
    }

    [Fact]
    public void Without_an_il_offset_of_its_own_code_belongs_to_nothing()
    {
        int[] offsets = [-1, 0];

        Assert.Equal(-1, InstructionMap.Read(MemoryMarshal.AsBytes<int>(offsets), 1).IlOffset(5));
    }

    [Fact]
    public void Native_code_is_named_by_the_file_that_was_mapped_when_it_ran()
    {
        var native = new NativeModules(symbols: null);
        native.Add(0, 0x1000, 0x1000, 0x400, "/lib/old.so");
        native.Add(10, 0x1800, 0x1000, 0, "/lib/new.so");
        native.Add(20, 0x1000, 0x800, 0x400, "/lib/old.so"); // its protection changed
        native.Add(0, 0x9000, 0x1000, 0, "/memfd:doublemapper (deleted)");

        Assert.Equal(new NativeCode("old.so", "+0xd00", HasSymbol: false), native.Find(0x1900, 5, out var always));
        Assert.False(always);
        Assert.Equal(new NativeCode("new.so", "+0x100", HasSymbol: false), native.Find(0x1900, 15, out _));
        Assert.Equal("old.so", native.Find(0x1100, 15, out always)?.Module);
        Assert.True(always);
        Assert.Null(native.Find(0x9100, 15, out _));
        Assert.Null(native.Find(0x8000, 15, out _));
    }

    [Fact]
    public void A_function_of_a_library_is_named_unless_the_file_may_be_another()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "ELF");
        var libc = NativeLibrary.Load("libc.so.6");
        var address = (ulong)NativeLibrary.GetExport(libc, "qsort");
        var (start, end, offset, path) = File.ReadLines("/proc/self/maps").Select(Mapping).First(m => address >= m.Start && address < m.End);
        var mapped = new FileRange(offset, end - start);

        Assert.Contains("qsort", new ElfSymbols(DateTime.UtcNow).Find(path, mapped, address - start + offset), StringComparison.Ordinal);
        Assert.Null(new ElfSymbols(DateTime.UnixEpoch).Find(path, mapped, address - start + offset));
        Assert.Null(new ElfSymbols(DateTime.UtcNow).Find(path, mapped with { Length = mapped.Length + 0x1000 }, address - start + offset));
        Assert.Null(new ElfSymbols(DateTime.UtcNow).Find("/dev/null", mapped, 0));
        Assert.Null(new ElfSymbols(DateTime.UtcNow).Find(typeof(FrameNameTests).Assembly.Location, mapped, 0));
    }

    [Fact]
    public void A_damaged_library_has_no_names()
    {
        var path = Path.GetTempFileName();
        try
        {
            var random = new Random(1);
            for (var round = 0; round < 200; round++)
            {
                var bytes = new byte[256];
                random.NextBytes(bytes);
                new byte[] { 0x7f, (byte)'E', (byte)'L', (byte)'F', 2, 1 }.CopyTo(bytes, 0);
                bytes.AsSpan(34, 6).Clear();
                bytes.AsSpan(42, 6).Clear();
                File.WriteAllBytes(path, bytes);

                Assert.Null(new ElfSymbols(DateTime.UtcNow).Find(path, default, 0));
            }
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void The_targets_samples_have_stacks_and_others_have_none()
    {
        var tables = Scripted.Run(0, 100, e =>
        {
            e.Sample(10, 0, Scripted.Target, 7, [0x1010, 0x1050]);
            e.Sample(20, 0, 99, 990, [0x1010, 0x1050]);
            e.Sample(30, 0, Scripted.Target, 7, []);
            e.Sample(40, 0, Scripted.Target, 7, [0x1050]);
        });
        var methods = new MethodMap();
        methods.AddMethod(0x1000, 0x40, "App.Inner", 7);
        methods.AddMethod(0x1040, 0x40, "App.Outer", 7);
        var stacks = new StackTables(methods);
        tables.AddStacks(stacks);

        Assert.Equal([1, -1, -1, 0], Enumerable.Range(0, tables.CpuSamples.Count).Select(row => tables.CpuSamples.Int32("stack")[row]));
        Assert.Equal(["0 -1 0", "1 0 1"], TableRows.Of(stacks.Stacks));
    }

    private static (ulong Start, ulong End, ulong Offset, string Path) Mapping(string line)
    {
        var parts = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        var range = parts[0].Split('-');
        return (Hex(range[0]), Hex(range[1]), Hex(parts[2]), parts[^1]);
    }

    private static ulong Hex(string text) => Convert.ToUInt64(text, 16);
}
