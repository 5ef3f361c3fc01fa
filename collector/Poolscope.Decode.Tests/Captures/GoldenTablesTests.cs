using System.IO.Compression;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>Recorded captures decode, to the last byte, to the tables beside their streams. After an intended change,
/// renew the tables with `./build.sh golden`; the diff of the analysis' goldens shows its effect.</summary>
public sealed class GoldenTablesTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-golden");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("golden/blocked-at-cap")]
    [InlineData("golden/core-contention")]
    [InlineData("golden/healthy")]
    [InlineData("golden/injection-delay")]
    [InlineData("golden/sync-over-async")]
    [InlineData("fuzz/web")] // requests, calls and sockets
    public void The_streams_give_the_tables_beside_them(string capture)
    {
        var tables = Path.Combine(_folder.FullName, "tables");
        ZipFile.ExtractToDirectory(Path.Combine(GoldenCapture.Goldens, "..", capture + ".zip"), _folder.FullName);
        var expected = Arrays(tables);
        Directory.Delete(tables, recursive: true);

        CaptureDecoder.Decode(_folder.FullName, progress: null, TestContext.Current.CancellationToken);
        var decoded = Arrays(tables);

        Assert.NotEmpty(expected);
        Assert.Equal(expected.Keys, decoded.Keys);
        Assert.All(expected, array => Assert.True(array.Value.AsSpan().SequenceEqual(decoded[array.Key]), array.Key));
    }

    /// <summary>Returns the bytes of each array by table and name. The compression may differ.</summary>
    private static SortedDictionary<string, byte[]> Arrays(string folder)
    {
        var arrays = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
        foreach (var file in Directory.EnumerateFiles(folder))
        {
            using var archive = ZipFile.OpenRead(file);
            foreach (var entry in archive.Entries)
            {
                using var from = entry.Open();
                using var bytes = new MemoryStream();
                from.CopyTo(bytes);
                arrays.Add($"{Path.GetFileName(file)}/{entry.FullName}", bytes.ToArray());
            }
        }

        return arrays;
    }
}
