using Poolscope.Etw.Reading;
using Xunit;

namespace Poolscope.Etw.Tests;

public sealed class TraceMemoryTests
{
    [Fact]
    public void More_than_the_limit_is_an_exception_and_not_the_end_of_the_machine()
    {
        Assert.SkipUnless(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes > 2 * TraceMemory.Fixed, "the machine is smaller than the limit");
        Assert.Equal(TraceMemory.Fixed, TraceMemory.Limit(0));
        Assert.Throws<OutOfMemoryException>(() => (object)new byte[TraceMemory.Fixed + (TraceMemory.Fixed / 2)]);
    }

    [Fact]
    public void A_trace_larger_than_the_machine_has_no_limit_of_its_own() => Assert.Null(TraceMemory.Limit(long.MaxValue));
}
