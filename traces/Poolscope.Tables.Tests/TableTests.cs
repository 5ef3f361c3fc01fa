using System.IO.Compression;
using System.Text;
using Xunit;

namespace Poolscope.Tables.Tests;

public sealed class TableTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-tables");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void Every_table_of_the_schema_can_be_created_and_written()
    {
        foreach (var schema in Schema.Current.Tables)
        {
            Table.Create(schema.Name).Write(_folder.FullName);
            Assert.True(File.Exists(Path.Combine(_folder.FullName, schema.Name + ".npz")));
        }
    }

    [Fact]
    public void A_row_added_in_part_is_refused_and_leaves_no_file()
    {
        var table = Table.Create("workers");
        table.Int32("tid").Add(1);

        var error = Assert.Throws<InvalidOperationException>(() => table.Write(_folder.FullName));

        Assert.Contains("workers", error.Message, StringComparison.Ordinal);
        Assert.Empty(_folder.GetFiles());
    }

    [Fact]
    public void A_number_column_is_an_npy_file_with_an_aligned_header()
    {
        var table = Table.Create("workers");
        table.Int32("tid").Add(7);
        table.Int64("start").Add(-1);
        table.Int64("stop").Add(long.MaxValue);
        table.Write(_folder.FullName);

        var bytes = Entry("workers", "stop");

        Assert.Equal("\u0093NUMPY", Encoding.Latin1.GetString(bytes, 0, 6));
        var headerLength = BitConverter.ToUInt16(bytes, 8);
        Assert.Equal(0, (10 + headerLength) % 64);
        Assert.Contains("'descr': '<i8'", Encoding.ASCII.GetString(bytes, 10, headerLength), StringComparison.Ordinal);
        Assert.Equal(long.MaxValue, BitConverter.ToInt64(bytes, 10 + headerLength));
    }

    [Fact]
    public void A_string_column_keeps_each_value_once_and_null_as_minus_one()
    {
        var table = Table.Create("losses");
        foreach (var (stream, count) in new (string?, long)[] { ("é", 1), (null, 2), ("é", 3) })
        {
            table.String("stream").Add(stream);
            table.Int64("start").Add(0);
            table.Int64("end").Add(0);
            table.Int64("count").Add(count);
            table.Enum("what").Add(0);
        }

        table.Write(_folder.FullName);

        Assert.Equal([0, -1, 0], Data(Entry("losses", "stream")).Chunk(4).Select(c => BitConverter.ToInt32(c)));
        Assert.Equal("é", Encoding.UTF8.GetString(Data(Entry("losses", "stream.utf8"))));
        Assert.Equal([0L, 2L], Data(Entry("losses", "stream.offsets")).Chunk(8).Select(c => BitConverter.ToInt64(c)));
    }

    private static byte[] Data(byte[] npy) => npy[(10 + BitConverter.ToUInt16(npy, 8))..];

    private byte[] Entry(string table, string array)
    {
        using var archive = ZipFile.OpenRead(Path.Combine(_folder.FullName, table + ".npz"));
        var entry = archive.GetEntry(array + ".npy");
        Assert.NotNull(entry);
        Assert.Equal(entry.Length, entry.CompressedLength);
        using var stream = entry.Open();
        using var memory = new MemoryStream();
        stream.CopyTo(memory);
        return memory.ToArray();
    }
}
