using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Commands;

/// <summary>Records a process, its own or one that it launches, into a capture folder.</summary>
/// <param name="kernel">The kernel tiers of this system, best first.</param>
public sealed class CollectCommand(ICommandConsole console, ProcFs proc, IReadOnlyList<IKernelTier> kernel, Decoder decoder)
{
    /// <summary>ASP.NET Core takes up to 30 s to let requests finish.</summary>
    private static readonly TimeSpan ChildGrace = TimeSpan.FromSeconds(30);

    /// <summary>For a child that had Ctrl-C from the terminal itself.</summary>
    private static readonly TimeSpan InterruptedGrace = TimeSpan.FromSeconds(5);

    private readonly ProcessCatalog _catalog = new(proc);

    /// <returns>An <see cref="ExitCode"/>, or the exit code of a command that ended by itself.</returns>
    /// <exception cref="CommandException">There is no capture, or a broken one, and the message says why.</exception>
    public async Task<int> RunAsync(CollectOptions options, StopRequest stop)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new CommandException(ExitCode.Platform, "collect runs on Linux and Windows only; `poolscope-collect decode` and `poolscope report` run everywhere");
        }

        if (options.Kernel == KernelChoice.Etw)
        {
            throw new CommandException(ExitCode.Platform, "--kernel etw needs Windows: here the tiers are tracepoint and switch");
        }

        RequireOneTarget(options);
        return options.Command.Count > 0
            ? await LaunchAsync(options, stop).ConfigureAwait(false)
            : await AttachAsync(options, stop).ConfigureAwait(false);
    }

    /// <exception cref="CommandException">None, or more than one, of -p, -n and a command was given.</exception>
    internal static void RequireOneTarget(CollectOptions options)
    {
        if (new[] { options.ProcessId is not null, options.Name is not null, options.Command.Count > 0 }.Count(given => given) != 1)
        {
            throw new CommandException(ExitCode.Argument, "say what to capture: one of -p PID, -n NAME, or -- COMMAND");
        }
    }

    private async Task<int> AttachAsync(CollectOptions options, StopRequest stop)
    {
        var pid = options.ProcessId ?? await _catalog.FindByNameAsync(options.Name!).ConfigureAwait(false);
        _catalog.RequireCapturable(pid);
        await _catalog.RequireAnswerAsync(pid).ConfigureAwait(false);
        if (SuspendedTarget.Find(proc, pid) is { } suspended)
        {
            await suspended.ResumeAsync().ConfigureAwait(false);
            console.Warn($"process {pid} waited at its start for a collector that is gone, and runs from now on");
        }

        var runtime = await SupportedRuntimeAsync(pid).ConfigureAwait(false);
        var folder = CreateFolder(options, proc.CommandLine(pid));
        var recorder = await StartOrDiscardAsync(Plan(options, folder, pid, launched: false, runtime), folder).ConfigureAwait(false);
        CaptureManifest manifest;
        await using (recorder.ConfigureAwait(false))
        {
            manifest = await RecordAsync(recorder, stop, rewrite: true).ConfigureAwait(false);
        }

        return await FinishAsync(options, folder, recorder, manifest, stop).ConfigureAwait(false);
    }

    private async Task<int> LaunchAsync(CollectOptions options, StopRequest stop)
    {
        var folder = CreateFolder(options, options.Command);
        LaunchedCommand child;
        try
        {
            child = LaunchedCommand.Start(options.Command, folder.FullPath);
        }
        catch
        {
            folder.Discard();
            throw;
        }

        using (child)
        {
            var recorder = await StartLaunchedAsync(options, child, folder, stop).ConfigureAwait(false);
            CaptureManifest manifest;
            try
            {
                await using (recorder.ConfigureAwait(false))
                {
                    await child.ResumeAsync().ConfigureAwait(false);
                    manifest = await RecordAsync(recorder, stop, rewrite: false).ConfigureAwait(false);
                }
            }
            catch (Exception e) when (e is CommandException or IOException or UnauthorizedAccessException)
            {
                console.Warn($"recording failed, and {options.Command[0]} runs on: {e.Message}");
                await EndChildAsync(child, reason: null, stop).ConfigureAwait(false);
                throw;
            }

            if (recorder.WriteFailure is { } failure)
            {
                console.Warn($"recording failed, and {options.Command[0]} runs on: {failure}");
            }

            await EndChildAsync(child, manifest.Stop, stop).ConfigureAwait(false);
            recorder.RecordExitCode(child.ExitCode);
            var exitCode = await FinishAsync(options, folder, recorder, manifest, stop).ConfigureAwait(false);
            return child.EndedByCollector || exitCode != ExitCode.Ok ? exitCode : child.ExitCode ?? ExitCode.Ok;
        }
    }

    private async Task<CaptureRecorder> StartLaunchedAsync(
        CollectOptions options, LaunchedCommand child, CaptureFolder folder, StopRequest stop)
    {
        try
        {
            if (await child.TargetAsync(stop.Token).ConfigureAwait(false) is not { } target)
            {
                throw new CommandException(
                    ExitCode.Tracing,
                    stop.Token.IsCancellationRequested
                        ? $"stopped before {options.Command[0]} had started a .NET process"
                        : $"{options.Command[0]} ended (exit code {child.ExitCode}) without starting a .NET process");
            }

            var runtime = await SupportedRuntimeAsync(target).ConfigureAwait(false);
            var recorder = await CaptureRecorder.StartAsync(Plan(options, folder, target, launched: true, runtime), proc).ConfigureAwait(false);
            WarnOfRefusals(recorder);
            return recorder;
        }
        catch
        {
            await child.EndAsync(LibC.SigTerm, InterruptedGrace, stop.Hurry).ConfigureAwait(false);
            folder.Discard();
            throw;
        }
    }

    private async Task<CaptureRecorder> StartOrDiscardAsync(RecordingPlan plan, CaptureFolder folder)
    {
        try
        {
            var recorder = await CaptureRecorder.StartAsync(plan, proc).ConfigureAwait(false);
            WarnOfRefusals(recorder);
            return recorder;
        }
        catch
        {
            folder.Discard();
            throw;
        }
    }

    private async Task<CaptureManifest> RecordAsync(CaptureRecorder recorder, StopRequest stop, bool rewrite)
    {
        if (console.ErrorIsTerminal)
        {
            console.Error.WriteLine("Recording. Ctrl-C stops it.");
        }

        var line = new ProgressLine(console, rewrite);
        var reason = await recorder.WaitForStopAsync(stop, line.Show).ConfigureAwait(false);
        line.End();
        return await recorder.StopAsync(reason).ConfigureAwait(false);
    }

    private async Task<int> FinishAsync(CollectOptions options, CaptureFolder folder, CaptureRecorder recorder, CaptureManifest manifest, StopRequest stop)
    {
        var shown = Path.GetRelativePath(Environment.CurrentDirectory, folder.FullPath) is var relative && relative.StartsWith("..", StringComparison.Ordinal)
            ? folder.FullPath
            : relative;
        if (recorder.WriteFailure is { } failure)
        {
            throw new CommandException(ExitCode.Tracing, $"recording ended early, what was written is in {shown}: {failure}");
        }

        if (manifest.Status == CaptureStatus.Cut)
        {
            console.Warn(manifest.Stop == StopReason.TargetKilled
                ? "the process was killed: the last moments of its events are missing"
                : "the process did not end its event streams in time: their last moments are missing");
        }

        if (recorder.PollingCost is { } cost)
        {
            console.Error.WriteLine(cost);
        }

        if (options.Decode)
        {
            await DecodeCommand.DecodeAsync(folder.FullPath, console, decoder, stop.Hurry).ConfigureAwait(false);
            manifest = CaptureManifest.Load(folder.FullPath);
        }

        if (manifest.Streams.Where(stream => stream.Lost > 0).ToList() is { Count: > 0 } lossy)
        {
            console.Warn($"events were lost, the capture is incomplete: {string.Join(", ", lossy.Select(stream => $"{stream.Lost:N0} of {stream.File}"))}");
        }

        var next = options.Decode ? $"poolscope report {shown}" : $"poolscope-collect decode {shown}";
        console.Error.WriteLine($"Captured {Describe(manifest)} in {shown}. Next: {next}");
        return ExitCode.Ok;
    }

    private static string Describe(CaptureManifest manifest)
    {
        var recording = manifest.Phases.Single(phase => phase.Name == "recording");
        var why = manifest.Stop switch
        {
            StopReason.MaxSize => ", ended by --max-size",
            StopReason.TargetExit => ", ended with the process",
            _ => "",
        };
        return $"{(recording.EndNs - recording.StartNs) / 1e9:0.0} s of {manifest.Target.Name} ({ByteSize.Format(manifest.Streams.Sum(stream => stream.Bytes))}{why})";
    }

    /// <summary>A command whose target has ended by itself may have more to do, and one whose recording failed is not to suffer
    /// for it; one that still runs when the recording is over is asked to end, for nobody else will.</summary>
    /// <param name="reason">One of <see cref="StopReason"/>; null: the recording failed.</param>
    private static async Task EndChildAsync(LaunchedCommand child, string? reason, StopRequest stop)
    {
        if (reason is null or StopReason.TargetExit or StopReason.TargetKilled)
        {
            await Task.WhenAny(child.Exited, stop.Requested).ConfigureAwait(false);
        }

        var interrupted = stop.Requested is { IsCompletedSuccessfully: true, Result: System.Runtime.InteropServices.PosixSignal.SIGINT };
        if (interrupted && !Console.IsInputRedirected)
        {
            // The terminal has sent it to the child as well: a second one would cut its own clean end short.
            await Task.WhenAny(child.Exited, Task.Delay(InterruptedGrace, stop.Hurry)).ConfigureAwait(false);
        }

        await child.EndAsync(interrupted && Console.IsInputRedirected ? LibC.SigInt : LibC.SigTerm, ChildGrace, stop.Hurry).ConfigureAwait(false);
    }

    private async Task<string> SupportedRuntimeAsync(int pid)
    {
        var runtime = await _catalog.RuntimeAsync(pid).ConfigureAwait(false);
        return RuntimeVersion.Major(runtime) < RuntimeVersion.FirstSupported
            ? throw new CommandException(ExitCode.SessionCreation, $"process {pid} runs {runtime}: .NET {RuntimeVersion.FirstSupported} or newer is needed")
            : runtime ?? ".NET";
    }

    private static CaptureFolder CreateFolder(CollectOptions options, IReadOnlyList<string> command) => CaptureFolder.Create(
        options.Output ?? CaptureFolder.DefaultPath(Environment.CurrentDirectory, ProcessNames.Of(command), DateTime.Now));

    private RecordingPlan Plan(CollectOptions options, CaptureFolder folder, int pid, bool launched, string runtime) => new(
        folder.FullPath,
        pid,
        launched,
        runtime,
        options.BufferMb,
        options.MaxBytes,
        Tables: options.Decode,
        options.Duration,
        options.Snapshots > TimeSpan.Zero ? options.Snapshots : null,
        options.Waits,
        Tiers(options.Kernel),
        KernelRequired: options.Kernel != KernelChoice.Auto,
        options.PollStep,
        OnlyTarget: options.Scope == KernelScope.Target);

    private IReadOnlyList<IKernelTier> Tiers(KernelChoice choice) => choice switch
    {
        KernelChoice.Auto => kernel,
        KernelChoice.None => [],
        _ => [.. kernel.Where(tier => string.Equals(tier.Name, choice.ToString(), StringComparison.OrdinalIgnoreCase))],
    };

    private void WarnOfRefusals(CaptureRecorder recorder)
    {
        foreach (var refusal in recorder.Refused)
        {
            console.Warn($"without {refusal.Wanted} ({refusal.Stream}): {refusal.Why}. {refusal.How}");
        }
    }
}
