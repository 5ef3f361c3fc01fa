using System.Diagnostics;
using System.Runtime.Versioning;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>Folders with prepared links, pipes and devices.</summary>
public sealed class HostileFolderTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-hostile");
    private readonly string _outside = Path.GetTempFileName();

    public HostileFolderTests()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links need a privilege there, and pipes are no files");
        Manifests.Of(CaptureStatus.Complete).Save(_folder.FullName);
        File.WriteAllText(_outside, "mine");
    }

    public void Dispose()
    {
        _folder.Delete(recursive: true);
        File.Delete(_outside);
    }

    [Theory]
    [InlineData("runtime.nettrace")]
    [InlineData("capacity.csv")]
    [InlineData("capture.json.tmp")]
    [InlineData("snapshots/0001.nettrace")]
    [InlineData("tables/work_items.npz.tmp")]
    public void A_folder_with_a_link_is_refused_and_nothing_is_written_through_it(string name)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(name))!);
        File.CreateSymbolicLink(PathOf(name), _outside);

        var refused = Assert.Throws<CaptureRefusedException>(Decode);

        Assert.Contains($"holds a link, {name}", refused.Message, StringComparison.Ordinal);
        Assert.Equal("mine", File.ReadAllText(_outside));
    }

    [Fact]
    public void A_folder_that_is_a_link_is_refused()
    {
        Directory.CreateSymbolicLink(PathOf("tables"), Path.GetTempPath());
        Assert.Throws<CaptureRefusedException>(Decode);
    }

    [Theory]
    [InlineData("runtime.nettrace")]
    [InlineData("waits.nettrace")]
    [InlineData("sched.perf.data")]
    [InlineData("schedstat.bin")]
    [InlineData("capacity.csv")]
    [InlineData("snapshots/0001.nettrace")]
    public void A_pipe_is_an_empty_file(string name)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(name))!);
        MakePipe(PathOf(name));
        Assert.Equal(0, Decode().Rows.GetValueOrDefault("work_items"));
    }

    [Fact]
    public void A_pipe_is_no_manifest()
    {
        File.Delete(PathOf(CaptureManifest.FileName));
        MakePipe(PathOf(CaptureManifest.FileName));
        Assert.Contains("is empty", Assert.Throws<CaptureRefusedException>(Decode).Message, StringComparison.Ordinal);
    }

    /// <summary>The error differs from that of an unreadable capture: the collector's exit code is that of an
    /// output.</summary>
    [Fact]
    public void A_file_where_the_tables_belong_stays()
    {
        File.WriteAllText(PathOf("tables"), "mine");
        Assert.Contains("cannot be written", Assert.Throws<OutputRefusedException>(Decode).Message, StringComparison.Ordinal);
        Assert.Equal("mine", File.ReadAllText(PathOf("tables")));
    }

    [Fact]
    [UnsupportedOSPlatform("windows")]
    public void Tables_and_manifest_are_for_their_owner_alone()
    {
        Decode();
        Assert.All(
            Directory.GetFiles(PathOf("tables")).Append(PathOf(CaptureManifest.FileName)),
            file => Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file)));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(PathOf("tables")));
        Assert.Equal(["capture.json", "tables"], _folder.GetFileSystemInfos().Select(entry => entry.Name).Order());
    }

    private static void MakePipe(string path)
    {
        using var made = Process.Start("mkfifo", [path]);
        made.WaitForExit();
        Assert.Equal(0, made.ExitCode);
    }

    private DecodeResult Decode() => CaptureDecoder.Decode(_folder.FullName, cancellation: TestContext.Current.CancellationToken);

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);
}
