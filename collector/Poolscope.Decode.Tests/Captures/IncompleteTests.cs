using Poolscope.Decode.Captures;
using Poolscope.Decode.Manifest;
using Xunit;

namespace Poolscope.Decode.Tests.Captures;

public sealed class IncompleteTests : IDisposable
{
    private const string File = "runtime.nettrace";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-test-");

    public void Dispose() => _folder.Delete(recursive: true);

    /// <summary>A collector that was stopped for a while ended its streams properly, but lost millions of
    /// events.</summary>
    [Theory]
    [InlineData(CaptureStatus.Complete, 0, CaptureStatus.Complete)]
    [InlineData(CaptureStatus.Complete, 1, CaptureStatus.Incomplete)]
    [InlineData(CaptureStatus.Incomplete, 0, CaptureStatus.Incomplete)]
    [InlineData(CaptureStatus.Cut, 1, CaptureStatus.Cut)]
    public void A_capture_that_lost_events_is_not_complete(string told, long lost, string expected)
    {
        System.IO.File.WriteAllBytes(Path.Combine(_folder.FullName, File), [1]);
        var capture = new Capture(_folder.FullName, Manifests.Of(told, new StreamInfo(File, "eventpipe", 1, 9, 1)));
        capture.Add(File, "eventpipe", firstNs: 2, lastNs: 8, events: 5, lost, cut: false);
        Assert.Equal(expected, capture.Completed().Status);
    }
}
