using Poolscope.Decode.Manifest;

namespace Poolscope.Decode.Tests.Captures;

/// <summary>Manifests as a collector writes them.</summary>
internal static class Manifests
{
    public static TargetInfo Target(bool launched) => new()
    {
        Pid = Environment.ProcessId,
        Name = "app",
        Command = ["app"],
        Launched = launched,
        CpusAllowed = 2,
        ProcessorCount = 2,
        MinThreads = new(2, "runtimeconfig"),
        MaxThreads = new(32767, "environment"),
    };

    public static CaptureManifest Of(string status, params StreamInfo[] streams) => new()
    {
        Format = 1,
        Tool = new("poolscope-collect", "0.1.0"),
        Status = status,
        Stop = status == CaptureStatus.Recording ? null : StopReason.Duration,
        Clock = new("CLOCK_MONOTONIC", 1, DateTime.UnixEpoch),
        Host = new("box", "Linux", "6.1", "x64", 2, 1 << 30),
        Target = Target(launched: false),
        Streams = streams,
    };
}
