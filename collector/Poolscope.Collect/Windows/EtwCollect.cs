using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Windows;

/// <summary>Records a process on Windows: one ETW session for runtime and kernel, into the same kind of capture folder
/// as on Linux.</summary>
[SupportedOSPlatform("windows")]
internal sealed class EtwCollect(ICommandConsole console, Decoder decoder)
{
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(100);

    /// <exception cref="NoEtwException">Windows opened no session; nothing was started.</exception>
    public async Task<int> RunAsync(CollectOptions options, StopRequest stop)
    {
        var name = options.Command.Count > 0 ? ProcessNames.Of(options.Command) : options.Name ?? $"process-{options.ProcessId}";
        var folder = CaptureFolder.Create(options.Output ?? CaptureFolder.DefaultPath(Environment.CurrentDirectory, name, DateTime.Now));
        var (exitCode, manifest) = await RecordAsync(options, folder, stop).ConfigureAwait(false);
        if (options.Decode)
        {
            await DecodeCommand.DecodeAsync(folder.FullPath, console, decoder, stop.Hurry).ConfigureAwait(false);
        }

        var seconds = (manifest.Streams[0].EndNs - manifest.Streams[0].StartNs) / 1e9;
        var next = CommandName.SaysNext ? $" Next: {(options.Decode ? "poolscope report" : CommandName.InOwnWords("poolscope decode"))} {folder.FullPath}" : "";
        console.Error.WriteLine($"Captured {seconds:0.0} s of {manifest.Target.Name} ({ByteSize.Format(manifest.Streams[0].Bytes)}).{next}");
        return exitCode;
    }

    private async Task<(int ExitCode, CaptureManifest Manifest)> RecordAsync(CollectOptions options, CaptureFolder folder, StopRequest stop)
    {
        var path = Path.Combine(folder.FullPath, EtwCapture.FileName);
        var clock = EtwCapture.Clock();
        WindowsTarget? target = null;
        try
        {
            // A command starts into a running session, so none of its events is missing. Its id is unknown before.
            target = options.Command.Count > 0 ? null : options.ProcessId is { } pid ? WindowsTarget.Attach(pid) : WindowsTarget.Attach(options.Name!);
            using var recording = Start(options, path, target?.Pid);
            target ??= WindowsTarget.Launch(options.Command, folder.FullPath);
            var capture = new EtwCapture(folder.FullPath, target.Describe(), clock);
            capture.Begin();

            var reason = await WaitForStopAsync(options, recording, target, stop).ConfigureAwait(false);
            var endNs = PerformanceCounter.NowNs;
            console.Error.WriteLine("Stopping: names of methods are collected, and the file is merged.");
            await Task.Run(() => recording.Stop(targetLives: !target.HasExited)).ConfigureAwait(false);
            await target.EndAsync().ConfigureAwait(false);
            var manifest = capture.End(reason, recording.StartNs, endNs, new FileInfo(path).Length, target.ExitCode);
            return (reason == StopReason.TargetExit ? target.ExitCode ?? ExitCode.Ok : ExitCode.Ok, manifest);
        }
        catch (Exception e) when (e is CommandException or NoEtwException)
        {
            folder.Discard();
            throw;
        }
        finally
        {
            target?.Dispose();
        }
    }

    private static EtwRecording Start(CollectOptions options, string path, int? pid)
    {
        try
        {
            return EtwRecording.Start(path, pid, options.BufferMb, options.Sockets, options.Requests);
        }
        catch (Exception e) when (e is COMException or UnauthorizedAccessException)
        {
            throw new NoEtwException($"Windows opened no ETW session: {e.Message}", e);
        }
    }

    private async Task<string> WaitForStopAsync(CollectOptions options, EtwRecording recording, WindowsTarget target, StopRequest stop)
    {
        var line = new ProgressLine(console, rewrite: options.Command.Count == 0);
        var nextShown = TimeSpan.FromSeconds(1);
        try
        {
            while (true)
            {
                await Task.WhenAny(stop.Requested, Task.Delay(Beat)).ConfigureAwait(false);
                var elapsed = TimeSpan.FromTicks((PerformanceCounter.NowNs - recording.StartNs) / TimeSpan.NanosecondsPerTick);
                if (EtwCapture.StopReasonOf(stop.Requested.IsCompleted, target.HasExited, elapsed, options, recording.Bytes) is { } reason)
                {
                    return reason;
                }

                if (elapsed >= nextShown)
                {
                    line.Show(new RecordingProgress(elapsed, recording.Bytes, null, recording.EventsLost));
                    nextShown = elapsed + TimeSpan.FromSeconds(1);
                }
            }
        }
        finally
        {
            line.End();
        }
    }
}

/// <summary>The error of an ETW session that Windows did not open.</summary>
internal sealed class NoEtwException(string message, Exception inner) : Exception(message, inner);
