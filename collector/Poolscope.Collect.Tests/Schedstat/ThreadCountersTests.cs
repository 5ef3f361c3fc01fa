using Poolscope.Collect.Schedstat;
using Xunit;

namespace Poolscope.Collect.Tests.Schedstat;

public sealed class ThreadCountersTests : IDisposable
{
    private readonly FakeRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Theory]
    [InlineData("123456789 42 7\n", 123456789, 42, 7)]
    [InlineData("0 0 0\n", 0, 0, 0)]
    [InlineData("9000000000000000000 1 2", 9000000000000000000, 1, 2)]
    public void Counters_are_three_numbers(string text, long run, long wait, long slices)
    {
        Assert.True(ThreadCounters.TryParse(System.Text.Encoding.ASCII.GetBytes(text), out var counters));
        Assert.Equal(new ThreadCounters(run, wait, slices), counters);
    }

    [Theory]
    [InlineData("")]
    [InlineData("1 2")]
    [InlineData("none of it")]
    public void Anything_else_is_a_thread_that_ended(string text) =>
        Assert.False(ThreadCounters.TryParse(System.Text.Encoding.ASCII.GetBytes(text), out _));

    [Theory]
    [InlineData("7 (.NET TP Worker) S 1 2", ".NET TP Worker", 'S')]
    [InlineData("7 (a ) R (b) R 1 2", "a ) R (b", 'R')]
    public void The_state_stands_behind_the_name_whatever_that_is(string text, string name, char state)
    {
        Assert.True(ThreadStat.TryParse(System.Text.Encoding.ASCII.GetBytes(text), out var stat));
        Assert.Equal((name, state), (System.Text.Encoding.ASCII.GetString(stat.Name), stat.State));
    }

    [Fact]
    public void Doctor_says_what_stands_in_the_way()
    {
        var tier = new SchedstatTier(_root.Proc);
        var missing = tier.Probe(FakeRoot.Pid);
        Assert.False(missing.Available);
        Assert.Contains("hidepid", missing.How, StringComparison.Ordinal);

        _root.Write($"/proc/{FakeRoot.Pid}/task/{FakeRoot.Pid}/schedstat", "0 0 0\n");
        var zero = tier.Probe(FakeRoot.Pid);
        Assert.False(zero.Available);
        Assert.Contains("CONFIG_SCHED_INFO", zero.How, StringComparison.Ordinal);

        _root.Write($"/proc/{FakeRoot.Pid}/task/{FakeRoot.Pid}/schedstat", "5 6 7\n");
        Assert.Equal((true, ""), (tier.Probe(FakeRoot.Pid).Available, tier.Probe(FakeRoot.Pid).How));
    }
}
