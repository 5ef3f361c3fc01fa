using System.IO.Compression;
using Xunit;

namespace Poolscope.Tables.Tests;

/// <summary>Columns of many rows can be read back from the file by the text of schema.json alone.</summary>
public sealed class PackedColumnTests : IDisposable
{
    private const int BlockRows = 16_384;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-packed");

    public void Dispose() => _folder.Delete(recursive: true);

    /// <summary>Covers each width of a row, both ends of the type, and a last block of every kind of length.</summary>
    [Theory]
    [InlineData(BlockRows, 0, 5, false)]
    [InlineData(BlockRows + 1, 0, 0, true)]
    [InlineData(BlockRows + 3, -1, 1, true)]
    [InlineData((2 * BlockRows) - 1, -1, 2, true)]
    [InlineData(2 * BlockRows, 100, 15, true)]
    [InlineData((2 * BlockRows) + 7, -7, 255, true)]
    [InlineData(3 * BlockRows, 1_000_000_000_000, 65_535, true)]
    [InlineData((3 * BlockRows) + 1, 1_000_000_000_000, 4_294_967_295, true)]
    [InlineData((3 * BlockRows) + 1, -1, long.MaxValue, true)]
    [InlineData((3 * BlockRows) + 9, long.MinValue, -1, true)]
    public void Every_value_is_read_back(int rows, long least, long range, bool packed)
    {
        foreach (var packs in new[] { false, true })
        {
            var column = new Column<long>("time", packs);
            var random = new Random(rows);
            var values = Enumerable.Range(0, rows).Select(i => least + (range < 0 ? random.NextInt64() * 2 : i % 97 == 0 ? range : random.NextInt64(range == long.MaxValue ? range : range + 1))).ToArray();
            Array.ForEach(values, column.Add);

            Assert.Equal(values, Enumerable.Range(0, rows).Select(row => column[row]));
            Assert.Equal(packed, Write(column).ContainsKey("time.packed"));
            Assert.Equal(values, packed ? Unpacked(Write(column)) : Plain(Write(column)["time"]));
        }
    }

    /// <summary>Late changes in row order pack blocks again; late changes in random order give packing up. Both keep
    /// the values.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Rows_that_change_late_have_their_last_values(bool inOrder)
    {
        const int rows = 20 * BlockRows;
        var column = new Column<long>("time", packs: true);
        var expected = Enumerable.Range(0, rows).Select(row => (long)row).ToArray();
        column.Add(expected);
        var random = new Random(1);
        for (var change = 0; change < 2_000; change++)
        {
            var row = inOrder ? change * (rows / 2_000) : random.Next(rows);
            column[row] = expected[row] = random.NextInt64(1L << 30);
        }

        Assert.Equal(expected, Enumerable.Range(0, rows).Select(row => column[row]));
        Assert.Equal(expected, Unpacked(Write(column)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_row_can_change_and_the_last_ones_go_wherever_they_are(bool packs)
    {
        var column = new Column<int>("tid", packs);
        var expected = new List<int>();
        for (var i = 0; i < (2 * BlockRows) + 2; i++)
        {
            column.Add(i % 11);
            expected.Add(i % 11);
        }

        column[5] = expected[5] = int.MinValue;
        column[BlockRows + 5] = expected[BlockRows + 5] = int.MaxValue;
        for (var i = 0; i < 5; i++)
        {
            column.RemoveLast();
            expected.RemoveAt(expected.Count - 1);
        }

        column.Add(77);
        expected.Add(77);

        Assert.Equal(expected.Count, column.Count);
        Assert.Equal(expected, Enumerable.Range(0, column.Count).Select(row => column[row]));
        Assert.Equal(expected.Select(v => (long)v), Unpacked(Write(column)));
        Assert.Throws<ArgumentOutOfRangeException>(() => column[column.Count]);
        Assert.Throws<ArgumentOutOfRangeException>(() => column[-1] = 0);
    }

    /// <summary>A column takes over the blocks of one that was cleared, whatever they held.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    [InlineData(15)]
    [InlineData(200)]
    [InlineData(60_000)]
    [InlineData(1_000_000_000)]
    public void Blocks_of_a_cleared_column_are_used_again(int range)
    {
        var random = new Random(range);
        for (var round = 0; round < 3; round++)
        {
            var values = Enumerable.Range(0, (3 * BlockRows) + 5).Select(_ => (long)random.Next(range + 1)).ToArray();
            var column = new Column<long>("time", packs: true);
            column.Add(values);
            column.Add(range, 2 * BlockRows);
            values = [.. values, .. Enumerable.Repeat((long)range, 2 * BlockRows)];

            Assert.Equal(values, Unpacked(Write(column)));
            column.Clear();
            Assert.Equal(0, column.Count);
        }
    }

    private Dictionary<string, byte[]> Write(Column column)
    {
        var path = Path.Combine(_folder.FullName, "table.npz");
        Npz.Write(path, [column], packed: true);
        using var archive = ZipFile.OpenRead(path);
        return archive.Entries.ToDictionary(entry => entry.Name[..^".npy".Length], entry =>
        {
            using var memory = new MemoryStream();
            using var stream = entry.Open();
            stream.CopyTo(memory);
            var bytes = memory.ToArray();
            return bytes[(10 + BitConverter.ToUInt16(bytes, 8))..];
        });
    }

    private static IEnumerable<long> Plain(byte[] bytes) => bytes.Chunk(sizeof(long)).Select(chunk => BitConverter.ToInt64(chunk));

    private static List<long> Unpacked(Dictionary<string, byte[]> arrays)
    {
        var name = arrays.Keys.Single(key => key.EndsWith(".packed", StringComparison.Ordinal))[..^".packed".Length];
        var rows = Plain(arrays[$"{name}.rows"]).Single();
        var values = new List<long>();
        var at = 0;
        foreach (var (least, bits) in Plain(arrays[$"{name}.base"]).Zip(arrays[$"{name}.bits"]))
        {
            var count = (int)Math.Min(BlockRows, rows - values.Count);
            for (var row = 0; row < count; row++)
            {
                ulong distance = 0;
                for (var bit = 0; bit < bits; bit++)
                {
                    var place = (row * bits) + bit;
                    distance |= (ulong)((arrays[$"{name}.packed"][at + (place / 8)] >> (place % 8)) & 1) << bit;
                }

                values.Add(least + (long)distance);
            }

            at += ((count * bits) + 7) / 8;
        }

        Assert.Equal(arrays[$"{name}.packed"].Length, at);
        return values;
    }
}
