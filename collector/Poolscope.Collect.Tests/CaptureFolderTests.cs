using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;
using Poolscope.Collect.Recording;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class CaptureFolderTests : IDisposable
{
    private static readonly DateTime Now = new(2026, 1, 2, 3, 4, 5);

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;

    [Fact]
    public void Captures_go_into_a_traces_folder_where_there_is_one()
    {
        Assert.Equal(Path.Combine(_folder, "app-20260102-030405.poolscope"), CaptureFolder.DefaultPath(_folder, "app", Now));
        Directory.CreateDirectory(Path.Combine(_folder, "traces"));
        Assert.Equal(Path.Combine(_folder, "traces", "app-20260102-030405"), CaptureFolder.DefaultPath(_folder, "app", Now));
    }

    [Fact]
    public void A_second_capture_in_the_same_second_takes_nothing_away()
    {
        Directory.CreateDirectory(CaptureFolder.DefaultPath(_folder, "app", Now));
        Assert.Equal(Path.Combine(_folder, "app-20260102-030405-2.poolscope"), CaptureFolder.DefaultPath(_folder, "app", Now));
    }

    /// <summary>The folder is private whether or not it existed, and whatever umask the shell set.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Nobody_else_looks_into_the_folder(bool exists)
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        const UnixFileMode all = (UnixFileMode)0b111_111_111;
        var path = Path.Combine(_folder, "capture");
        if (exists)
        {
            Directory.CreateDirectory(path);
            File.SetUnixFileMode(path, all);
        }

        CaptureFolder.Create(path);
        Assert.Equal((UnixFileMode)0b111_000_000, File.GetUnixFileMode(path));
    }

    [Fact]
    public void A_file_in_the_way_is_not_written_through()
    {
        var precious = Path.Combine(_folder, "precious");
        File.WriteAllText(precious, "precious");
        File.CreateSymbolicLink(Path.Combine(_folder, "runtime.nettrace"), precious);
        Assert.ThrowsAny<IOException>(() => PrivateFiles.CreateNew(Path.Combine(_folder, "runtime.nettrace")));
        Assert.Equal("precious", File.ReadAllText(precious));
    }

    [Theory]
    [InlineData("../up", "_up-20260102-030405.poolscope")]
    [InlineData("", "capture-20260102-030405.poolscope")]
    public void A_name_never_leads_out_of_the_folder(string name, string expected) =>
        Assert.Equal(Path.Combine(_folder, expected), CaptureFolder.DefaultPath(_folder, name, Now));

    [Fact]
    public void Discarding_takes_away_what_was_made_and_no_more()
    {
        var made = Path.Combine(_folder, "a", "b");
        CaptureFolder.Create(made).Discard();
        Assert.Empty(Directory.EnumerateFileSystemEntries(_folder));

        var capture = CaptureFolder.Create(_folder);
        File.WriteAllText(Path.Combine(_folder, "capture.json"), "{}");
        Directory.CreateDirectory(Path.Combine(_folder, "snapshots"));
        capture.Discard();
        Assert.True(Directory.Exists(_folder));
        Assert.Empty(Directory.EnumerateFileSystemEntries(_folder));
    }

    [Fact]
    public void A_folder_that_holds_something_a_file_and_an_impossible_place_are_refused()
    {
        var file = Path.Combine(_folder, "file");
        File.WriteAllText(file, "precious");
        foreach (var path in new[] { _folder, file, Path.Combine(file, "below"), "/proc/poolscope" })
        {
            var refused = Assert.Throws<CommandException>(() => CaptureFolder.Create(path));
            Assert.Equal(ExitCode.Usage, refused.ExitCode);
            Assert.Contains(path, refused.Message, StringComparison.Ordinal);
        }

        Assert.Equal("precious", File.ReadAllText(file));
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
