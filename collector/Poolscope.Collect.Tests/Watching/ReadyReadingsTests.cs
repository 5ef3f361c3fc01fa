using Poolscope.Collect.Watching;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

public sealed class ReadyReadingsTests : IDisposable
{
    private const long Beat = ReadyReadings.BeatNs;

    private readonly FakeRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public void The_thread_that_was_ready_longest_counts_since_the_reading_before()
    {
        var ready = new ReadyReadings(_root.Proc, FakeRoot.Pid);
        Delays((1, 900), (2, 100));
        Assert.Equal(-1, ready.Latest(0));
        Delays((1, 910), (2, 150));
        Assert.Equal(-1, ready.Latest(Beat - 1)); // not time yet
        Assert.Equal(50, ready.Latest(Beat));
        Assert.Equal(50, ready.Latest(Beat + 1));
        Assert.Equal(0, ready.Latest(2 * Beat));
    }

    [Fact]
    public void A_new_thread_counts_from_its_start_also_under_an_old_id()
    {
        var ready = new ReadyReadings(_root.Proc, FakeRoot.Pid);
        Delays((1, 900));
        _ = ready.Latest(0);
        Delays((1, 905), (3, 70));
        Assert.Equal(70, ready.Latest(Beat));
        Delays((1, 40), (3, 75));
        Assert.Equal(40, ready.Latest(2 * Beat));
    }

    [Fact]
    public void What_the_kernel_does_not_tell_is_not_known()
    {
        var ready = new ReadyReadings(_root.Proc, FakeRoot.Pid);
        _root.Write($"/proc/{FakeRoot.Pid}/task/1/schedstat", "no numbers here\n");
        Assert.Equal(-1, ready.Latest(0));
        Assert.Equal(-1, ready.Latest(Beat));
        Assert.Equal(-1, new ReadyReadings(_root.Proc, 1).Latest(0));
    }

    private void Delays(params (int Tid, long Ns)[] threads)
    {
        foreach (var (tid, ns) in threads)
        {
            _root.Write($"/proc/{FakeRoot.Pid}/task/{tid}/schedstat", $"123456 {ns} 77\n");
        }
    }
}
