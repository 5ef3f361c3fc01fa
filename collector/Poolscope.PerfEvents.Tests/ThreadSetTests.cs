using Poolscope.PerfEvents.Capture.Rings;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

public sealed class ThreadSetTests
{
    [Fact]
    public void It_has_what_a_set_of_the_same_ids_has()
    {
        var random = new Random(7);
        var (set, expected) = (new ThreadSet(), new HashSet<int>());
        for (var i = 0; i < 20_000; i++)
        {
            var id = random.Next(1 << random.Next(1, 23));
            Assert.Equal(expected.Contains(id), set.Contains(id));
            Assert.True(random.Next(3) == 0 ? set.Remove(id) == expected.Remove(id) : set.Add(id) == expected.Add(id));
        }

        Assert.All(Enumerable.Range(0, 1 << 20), id => Assert.Equal(expected.Contains(id), set.Contains(id)));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    [InlineData((1 << 22) + 1)]
    [InlineData(int.MaxValue)]
    public void What_is_no_thread_s_id_is_not_taken(int id)
    {
        var set = new ThreadSet();
        Assert.False(set.Add(id));
        Assert.False(set.Contains(id));
        Assert.False(set.Remove(id));
    }
}
