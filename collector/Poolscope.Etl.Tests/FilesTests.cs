using System.IO.Compression;
using Poolscope.Etl.Files;
using Poolscope.Etl.Format;
using Poolscope.Etl.Reading;
using Poolscope.Fuzz.Corpus;
using Xunit;

namespace Poolscope.Etl.Tests;

/// <summary>A recording is one file, several that lie side by side, or a zip of either.</summary>
public sealed class FilesTests
{
    private const long First = 100_000_000;

    [Theory]
    [InlineData("tp.kernel.etl", "tp.etl", true)]
    [InlineData("tp.clrRundown.etl", "tp.etl", true)]
    [InlineData("diaghub.user_paged.1.etl", "diaghub.etl", true)]
    [InlineData("tp2.etl", "tp.etl", false)]
    [InlineData("tp.etl", "tp.etl", false)]
    [InlineData("tp.old.etl", "tp.etl", false)]
    [InlineData("tp.kernel.etlx", "tp.etl", false)]
    public void Parts_are_known_by_their_names(string name, string main, bool isPart) => Assert.Equal(isPart, EtlFiles.IsPart(name, main));

    [Fact]
    public void Files_that_were_not_merged_are_read_as_one()
    {
        using var written = new WrittenFile(File(10, 30), "tp.etl");
        written.Add("tp.kernel.etl", File(5, 20, 40));
        written.Add("tp.clrRundown.etl", File(50));
        Assert.Equal([5, 10, 20, 30, 40, 50], Times(written.Path, written.Folder));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_zip_is_unpacked_and_leaves_nothing(bool parts)
    {
        using var written = new WrittenFile([], "unused");
        var zip = Path.Combine(written.Folder, "tp.etl.zip");
        using (var archive = ZipFile.Open(zip, ZipArchiveMode.Create))
        {
            Put(archive, "symbols/app.ni.pdb/1/app.ni.pdb", [1]);
            Put(archive, "tp.etl", File(10, 30));
            if (parts)
            {
                Put(archive, "tp.kernel.etl", File(20));
            }
        }

        Assert.Equal(parts ? [10, 20, 30] : [10, 30], Times(zip, written.Folder));
        Assert.Equal(2, Directory.GetFileSystemEntries(written.Folder).Length);
    }

    [Fact]
    public void Files_of_another_boot_are_refused()
    {
        using var written = new WrittenFile(File(10), "tp.etl");
        written.Add("tp.kernel.etl", new EtlWriter(new EtlWriting { BootTime = 132_999_000_000_000_000 }).ToFile());
        var refused = Assert.Throws<InvalidDataException>(() => EtlFiles.Open(written.Path, written.Folder));
        Assert.StartsWith("tp.kernel.etl lies beside tp.etl", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("tp.etl", "tp.etl is not an .etl file")]
    [InlineData("tp.etl.zip", "tp.etl.zip is not an .etl file")]
    [InlineData("torn.etl.zip", "torn.etl.zip cannot be read: it is not a zip file", 'P', 'K')]
    public void What_is_none_is_refused_in_one_line(string name, string message, params char[] begins)
    {
        using var written = new WrittenFile([.. begins.Select(c => (byte)c), .. Enumerable.Range(0, 5000).Select(i => (byte)(i * 7))], name);
        var refused = Assert.Throws<InvalidDataException>(() => EtlFiles.Open(written.Path, written.Folder));
        Assert.StartsWith(message, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refused.Message);
        Assert.Single(Directory.GetFileSystemEntries(written.Folder));
    }

    [Theory]
    [InlineData("tp.etl.zip cannot be read: it holds no .etl", "readme.txt")]
    [InlineData("tp.etl.zip holds several recordings: unpack it, and name one of them, a.etl or b.etl", "b.etl", "a.etl", "a.kernel.etl")]
    [InlineData("tp.etl.zip: a.kernel.etl is not an .etl file: it is too short", "a.etl", "log.txt", "__MACOSX/._a.etl", "a.kernel.etl!")]
    public void A_zip_of_something_else_is_refused_in_one_line(string message, params string[] names)
    {
        using var written = new WrittenFile([], "unused");
        var zip = Path.Combine(written.Folder, "tp.etl.zip");
        using (var archive = ZipFile.Open(zip, ZipArchiveMode.Create))
        {
            foreach (var name in names)
            {
                Put(archive, name.TrimEnd('!'), name[^1] == '!' ? [1] : File(10));
            }
        }

        Assert.Equal(message, Assert.Throws<InvalidDataException>(() => EtlFiles.Open(zip, written.Folder)).Message);
        Assert.Equal(2, Directory.GetFileSystemEntries(written.Folder).Length);
    }

    [Fact]
    public void A_name_proves_nothing()
    {
        using var written = new WrittenFile(File(10, 30), "tp.etl.zip");
        var zip = Path.Combine(written.Folder, "renamed.etl");
        using (var archive = ZipFile.Open(zip, ZipArchiveMode.Create))
        {
            Put(archive, "tp.etl", File(20));
        }

        Assert.Equal([10, 30], Times(written.Path, written.Folder));
        Assert.Equal([20], Times(zip, written.Folder));
    }

    private static byte[] File(params int[] ticks)
    {
        var writer = new EtlWriter(new EtlWriting());
        foreach (var tick in ticks)
        {
            writer.Kernel(KernelHooks.Switch, First + tick, 0, []);
        }

        return writer.ToFile();
    }

    private static List<long> Times(string path, string folder)
    {
        using var files = EtlFiles.Open(path, folder);
        using var merge = new EtlMerge(files.All);
        var times = new List<long>();
        while (merge.Next())
        {
            if (merge.Current.Hook == KernelHooks.Switch)
            {
                times.Add((merge.Current.Time / 100) - First);
            }
        }

        return times;
    }

    private static void Put(ZipArchive archive, string name, byte[] bytes)
    {
        using var stream = archive.CreateEntry(name).Open();
        stream.Write(bytes);
    }
}
