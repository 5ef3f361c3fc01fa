using System.Runtime.InteropServices;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Recording;
using Poolscope.Decode;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Windows;

/// <summary>The manifest of a recording on Windows, from its beginning to its end. It calls no function that only
/// Windows has.</summary>
internal sealed class EtwCapture(string folder, TargetInfo target, ClockInfo clock)
{
    public const string FileName = "kernel.etl";

    private readonly CaptureManifest _manifest = new()
    {
        Format = CaptureManifest.KnownFormat,
        Tool = CaptureRecorder.Tool with { Pid = Environment.ProcessId },
        Status = CaptureStatus.Recording,
        Clock = clock,
        Host = new HostInfo(
            Environment.MachineName,
            RuntimeInformation.OSDescription,
            Environment.OSVersion.Version.ToString(),
            RuntimeInformation.OSArchitecture.ToString().ToLowerInvariant(),
            Environment.ProcessorCount,
            GC.GetGCMemoryInfo().TotalAvailableMemoryBytes),
        Target = target,
        Refused = target.Runtime == ".NET Framework" ? [TraceImport.FrameworkIds] : [],
    };

    public static ClockInfo Clock() => new(PerformanceCounter.Id, PerformanceCounter.NowNs, DateTime.UtcNow);

    /// <summary>Returns the reason to end a recording now, or null if there is none.</summary>
    public static string? StopReasonOf(bool signalled, bool targetExited, TimeSpan elapsed, CollectOptions options, long bytes) =>
        signalled ? StopReason.Signal
        : targetExited ? StopReason.TargetExit
        : elapsed >= options.Duration ? StopReason.Duration
        : bytes >= options.MaxBytes ? StopReason.MaxSize
        : null;

    public void Begin() => _manifest.Save(folder);

    public CaptureManifest End(string reason, long startNs, long endNs, long bytes, int? exitCode)
    {
        var manifest = _manifest with
        {
            Status = CaptureStatus.Complete,
            Stop = reason,
            Target = _manifest.Target with { ExitCode = exitCode },
            Phases = [new Phase("recording", startNs, endNs)],
            Streams = [new StreamInfo(FileName, "etw", startNs, endNs, bytes)],
        };
        manifest.Save(folder);
        return manifest;
    }
}
