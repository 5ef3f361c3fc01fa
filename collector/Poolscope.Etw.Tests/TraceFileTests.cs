using System.IO.Compression;
using Poolscope.Etw.Reading;
using Xunit;

namespace Poolscope.Etw.Tests;

public sealed class TraceFileTests
{
    [Theory]
    [InlineData("tp.etl", "tp", true)]
    [InlineData("tp.ETL.ZIP", "tp", true)]
    [InlineData("a/b.c.etlx", "a/b.c", true)]
    [InlineData("capture.zip", "capture.zip", false)]
    [InlineData("runtime.nettrace", "runtime.nettrace", false)]
    public void A_trace_is_known_by_its_name(string path, string stem, bool isTrace) =>
        Assert.Equal((stem, isTrace), (TraceFile.Stem(path), TraceFile.IsTrace(path)));

    [Theory]
    [InlineData("tp.etl", "tp.etl is not an .etl file")]
    [InlineData("tp.etl.zip", "tp.etl.zip is not an .etl file")]
    public void What_is_no_trace_is_refused_in_one_line(string name, string message)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "TraceEvent refuses it in its own words");
        var folder = Directory.CreateTempSubdirectory("poolscope-etw-").FullName;
        var trace = Path.Combine(folder, name);
        File.WriteAllText(trace, "something else entirely");
        var refused = Assert.Throws<InvalidDataException>(() => TraceFile.Open(trace, Path.Combine(folder, "kernel.etlx"), progress: null));
        Assert.StartsWith(message, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refused.Message);
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void What_was_digested_on_Windows_is_read_before_the_trace_itself()
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-etw-").FullName;
        var (trace, digest) = (Path.Combine(folder, "kernel.etl"), Path.Combine(folder, "kernel.etlx"));
        File.WriteAllText(trace, "raw");
        File.WriteAllText(digest, "digested");
        File.SetLastWriteTimeUtc(trace, File.GetLastWriteTimeUtc(digest).AddSeconds(OperatingSystem.IsWindows() ? -1 : 1));
        Assert.StartsWith("kernel.etlx cannot be read", Assert.Throws<InvalidDataException>(() => TraceFile.Open(trace, digest, progress: null)).Message, StringComparison.Ordinal);
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void Of_a_zip_the_trace_alone_is_taken()
    {
        var folder = Directory.CreateTempSubdirectory("poolscope-etw-").FullName;
        var (zip, etl) = (Path.Combine(folder, "tp.etl.zip"), Path.Combine(folder, "kernel.etlx.etl"));
        using (var archive = ZipFile.Open(zip, ZipArchiveMode.Create))
        {
            foreach (var name in new[] { "symbols/app.ni.pdb/1/app.ni.pdb", "tp.etl", "LogFile.txt" })
            {
                using var writer = new StreamWriter(archive.CreateEntry(name).Open());
                writer.Write(name);
            }
        }

        TraceFile.Unpack(zip, etl);
        Assert.Equal("tp.etl", File.ReadAllText(etl));
        Assert.Equal(2, Directory.GetFileSystemEntries(folder).Length);
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void A_file_that_is_no_trace_is_named()
    {
        var path = Path.Combine(Path.GetTempPath(), $"poolscope-{Guid.NewGuid():N}.etlx");
        File.WriteAllText(path, "something else entirely");
        var refused = Assert.Throws<InvalidDataException>(() => EtlxTrace.Open(path)).Message;
        Assert.StartsWith(Path.GetFileName(path), refused, StringComparison.Ordinal);
        Assert.Contains("another version of PerfView or TraceEvent made it", refused, StringComparison.Ordinal);
        File.Delete(path);
    }
}
