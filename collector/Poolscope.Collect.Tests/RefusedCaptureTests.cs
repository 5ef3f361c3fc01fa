using Poolscope.Collect.Commands;
using Poolscope.Collect.Recording;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>`decode` of a folder that nobody should read: exit code 3, and one line.</summary>
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
        await File.WriteAllTextAsync(
            Path.Combine(_folder.FullName, "capture.json"), string.Concat(Enumerable.Repeat(text, times)), TestContext.Current.CancellationToken);

        var refused = await Assert.ThrowsAsync<CommandException>(
            () => DecodeCommand.RunAsync(new DecodeOptions(_folder.FullName), new RecordingConsole(), CaptureTables.DecodeAsync, CancellationToken.None));

        Assert.Equal(ExitCode.Argument, refused.ExitCode);
        Assert.Contains("capture.json is damaged", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refused.Message);
    }
}
