using Poolscope.Collect.Facts;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>Decoding may take four fifths of the machine's free memory, beyond what the heap already has.</summary>
public sealed class FreeMemoryTests : IDisposable
{
    private readonly FakeRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public void What_is_free_and_not_what_there_is()
    {
        _root.Write("/proc/meminfo", "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:    5000000 kB\n");
        var free = FreeMemory.ForHeap(_root.Proc);
        Assert.InRange(free ?? 0, 4_000_000L * 1024, (4_000_000L * 1024) + GC.GetTotalMemory(false) + (64 << 20));
    }

    [Fact]
    public void Where_nothing_tells_there_is_no_limit() => Assert.Null(FreeMemory.ForHeap(_root.Proc));
}
