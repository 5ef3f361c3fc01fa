using Poolscope.Decode.WorkItems;
using Xunit;

namespace Poolscope.Decode.Tests.WorkItems;

public sealed class OpenItemsTests
{
    /// <summary>Agrees with a simple list per id over a thousand random operations on few ids.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Behaves_like_a_list_per_id(int seed)
    {
        var random = new Random(seed);
        var open = new OpenItems();
        var oracle = new List<int>[] { [], [], [] };
        for (var row = 0; row < 1000; row++)
        {
            var id = random.Next(oracle.Length);
            var list = oracle[id];
            switch (random.Next(5))
            {
                case 0 or 1:
                    Assert.Equal(list.LastOrDefault(-1), open.Add(id, row));
                    list.Add(row);
                    break;
                case 2:
                    Assert.Equal(list.Count > 0, open.TryTake(id, out var taken));
                    Assert.Equal(list.FirstOrDefault(-1), taken);
                    list.Remove(taken);
                    break;
                case 3 when list.Count > 0:
                    var removed = list[random.Next(list.Count)];
                    Assert.True(open.Remove(id, removed));
                    Assert.False(open.Remove(id, removed));
                    list.Remove(removed);
                    break;
                case 4 when list.Count > 0:
                    var at = random.Next(list.Count);
                    open.Replace(id, list[at], row);
                    list[at] = row;
                    break;
            }

            Assert.Equal(list, open.Of(id));
            Assert.Equal(oracle.Sum(l => l.Count), open.Rows.Count());
        }
    }
}
