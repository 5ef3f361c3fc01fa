using System.Runtime.InteropServices;
using Poolscope.Decode.Growing;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Columns whose rows become known bit by bit, and state that is kept per thread.</summary>
public sealed class GrowingStateTests
{
    /// <summary>Values that are set late, early, and after the column was taken agree with an array.</summary>
    [Theory]
    [InlineData(10)]
    [InlineData(4096)]
    [InlineData(4097)]
    [InlineData(20_000)]
    public void A_row_has_the_value_that_it_was_given_last(int rows)
    {
        var random = new Random(rows);
        var expected = new List<long>();
        var table = new SettlingTable<Row>("tasks");
        var column = table.Int64("scheduled", nameof(Row.Scheduled));
        for (var row = 0; row < rows; row++)
        {
            table.Add(new Row { Other = -1, Scheduled = row });
            expected.Add(row);
            foreach (var changed in new[] { random.Next(row + 1), Math.Max(0, row - random.Next(20)) })
            {
                column[changed] = expected[changed] = random.NextInt64();
            }

            if (random.Next(rows) < 3)
            {
                table.ToTable();
            }
        }

        Assert.Equal(rows, table.Count);
        Assert.Equal(expected, Enumerable.Range(0, rows).Select(row => column[row]));
        var stored = Assert.Single(table.ToTable().Int64("scheduled").ToArrays());
        Assert.Equal(expected, MemoryMarshal.Cast<byte, long>(stored.Bytes.Span).ToArray());
    }

    /// <summary>The ids share a slot of the recently used states.</summary>
    [Fact]
    public void Each_thread_has_its_own_state()
    {
        var made = new List<int>();
        var threads = new PerThread<string>(tid =>
        {
            made.Add(tid);
            return $"thread {tid}";
        });
        foreach (var tid in new[] { 0, 64, 0, 128, 7, 64, -1, 7, 1 << 22 })
        {
            Assert.Equal($"thread {tid}", threads[tid]);
        }

        Assert.Equal([0, 64, 128, 7, -1, 1 << 22], made);
        Assert.Equal(6, threads.All.Count);
    }

    private struct Row
    {
        public int Other;
        public long Scheduled;
    }
}
