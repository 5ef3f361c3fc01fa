using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Errors;
using Poolscope.Decode.Manifest;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>`decode` refuses a folder that it should not read, with exit code 3 and one line.</summary>
public sealed class RefusedCaptureTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-refused");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("[", 100_000)]
    [InlineData("{\"format\": \"x\"}", 1)]
    [InlineData("", 1)]
    public async Task A_damaged_manifest(string text, int times)
    {
        await File.WriteAllTextAsync(PathOf("capture.json"), string.Concat(Enumerable.Repeat(text, times)), TestContext.Current.CancellationToken);
        Assert.Contains("capture.json is damaged", await RefusalAsync(_folder.FullName), StringComparison.Ordinal);
    }

    /// <summary>The format is checked before any other key is read: other keys may mean something else in another
    /// format.</summary>
    [Theory]
    [InlineData(CaptureManifest.KnownFormat + 1, "a newer Poolscope; this one reads format 1: update it")]
    [InlineData(CaptureManifest.KnownFormat - 1, "an older Poolscope; this one reads format 1: use the Poolscope that recorded it")]
    public async Task A_capture_of_another_format(int format, string made)
    {
        await File.WriteAllTextAsync(PathOf("capture.json"), $$"""{"format": {{format}}, "streams": 7}""", TestContext.Current.CancellationToken);
        Assert.EndsWith($"capture format {format}, made by {made}", await RefusalAsync(_folder.FullName), StringComparison.Ordinal);
        Assert.Equal(["capture.json"], _folder.GetFileSystemInfos().Select(entry => entry.Name));
    }

    [Fact]
    public void The_known_format_is_that_of_the_schema() => Assert.Equal(CaptureManifest.KnownFormat, Schema.Current.Format);

    [Theory]
    [InlineData("slow.zip", "is a zip file: unpack it to decode the capture in it; one that was decoded before is read as it is: poolscope report")]
    [InlineData("runtime.nettrace", "is a file: decode takes the folder of a capture, or a trace of Windows")]
    public async Task A_file_in_place_of_a_folder(string name, string said)
    {
        await File.WriteAllTextAsync(PathOf(name), "PK", TestContext.Current.CancellationToken);
        Assert.Contains($"{name} {said}", await RefusalAsync(PathOf(name)), StringComparison.Ordinal);
    }

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);

    /// <summary>Returns the one line with which `decode` ends.</summary>
    private static async Task<string> RefusalAsync(string capture)
    {
        var refused = await Assert.ThrowsAsync<CommandException>(
            () => DecodeCommand.RunAsync(new DecodeOptions(capture), new RecordingConsole(), CaptureTables.DecodeAsync, CancellationToken.None));
        Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        Assert.DoesNotContain('\n', refused.Message);
        return refused.Message;
    }
}
