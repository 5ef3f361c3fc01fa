using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Commands;

/// <summary>Records a process, its own or one that it launches, into a capture folder.</summary>
/// <param name="kernel">The kernel tiers of this system, best first.</param>
public sealed partial class CollectCommand(ICommandConsole console, ProcFs proc, IReadOnlyList<IKernelTier> kernel, Decoder decoder)
{
    private readonly ProcessCatalog _catalog = new(proc);

    /// <returns>An <see cref="ExitCode"/>, or the exit code of a command that ended by itself.</returns>
    /// <exception cref="CommandException">There is no capture, or a broken one, and the message says why.</exception>
    public async Task<int> RunAsync(CollectOptions options, StopRequest stop)
    {
        RequireOneTarget(options);
        try
        {
            Require(options.Kernel, options.Decode, "collect");
            return options.Command.Count > 0
                ? await LaunchAsync(options, stop).ConfigureAwait(false)
                : await AttachAsync(options, stop).ConfigureAwait(false);
        }
        catch (CommandException e) when (options.Command.Count > 0)
        {
            throw e.WithCommand();
        }
    }

    /// <exception cref="CommandException">Nothing can be recorded here, or not as it was asked for.</exception>
    internal static void Require(KernelChoice kernel, bool decode, string verb)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new CommandException(ExitCode.Unreadable, verb == "watch" ? "watch runs on Linux only" : "collect runs on Linux and Windows only; `poolscope decode` and `poolscope report` run everywhere");
        }

        if (kernel == KernelChoice.Etw)
        {
            throw new CommandException(ExitCode.Unreadable, "--kernel etw needs Windows: here the tiers are tracepoint and switch");
        }

        if (decode)
        {
            OpenSsl.RequireToDecode("install it, or add --no-decode, copy the capture, and run `poolscope decode` on another machine");
        }

        OpenFileLimit.Require();
    }

    /// <exception cref="CommandException">None, or more than one, of -p, -n and a command was given.</exception>
    internal static void RequireOneTarget(CollectOptions options)
    {
        if (new[] { options.ProcessId is not null, options.Name is not null, options.Command.Count > 0 }.Count(given => given) != 1)
        {
            throw new CommandException(ExitCode.Usage, "say what to capture: one of -p PID, -n NAME, or -- COMMAND");
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
            console.Warn($"process {pid} was suspended at its start for a collector that no longer exists; it runs now");
        }

        var runtime = await SupportedRuntimeAsync(_catalog, pid).ConfigureAwait(false);
        var folder = CreateFolder(options, proc.CommandLine(pid));
        var recorder = await StartOrDiscardAsync(Plan(options, folder, pid, launched: false, runtime), folder).ConfigureAwait(false);
        CaptureManifest manifest;
        await using (recorder.ConfigureAwait(false))
        {
            manifest = await RecordAsync(recorder, stop, rewrite: true).ConfigureAwait(false);
        }

        return await FinishAsync(options, folder, recorder, manifest, stop).ConfigureAwait(false);
    }

    private async Task<CaptureRecorder> StartOrDiscardAsync(RecordingPlan plan, CaptureFolder folder)
    {
        try
        {
            var recorder = await CaptureRecorder.StartAsync(plan, proc).ConfigureAwait(false);
            WarnOfRefusals(recorder);
            if (Invoker.Find() is { } invoker && proc.OwnerUid(plan.Pid) == invoker.User)
            {
                folder.GiveTo(invoker);
                _ = invoker.TryBecome(folder.FullPath);
            }

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
            throw new CommandException(ExitCode.Usage, $"recording ended early, what was written is in {shown}: {failure}");
        }

        if (manifest.Status == CaptureStatus.Cut)
        {
            console.Warn(manifest.Stop switch
            {
                StopReason.TargetKilled => "the process was killed or crashed: the last moments of its events are missing",
                StopReason.MaxSize => "the capture is as large as --max-size lets it be: the last moments of its events are missing",
                _ => "the process did not end its event streams in time: their last moments are missing",
            });
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

        if (Invoker.Find() is { } invoker)
        {
            folder.GiveTo(invoker);
        }

        if (manifest.Streams.Where(stream => stream.Lost > 0).ToList() is { Count: > 0 } lossy)
        {
            console.Warn($"events were lost, the capture is incomplete: {string.Join(", ", lossy.Select(stream => $"{stream.Lost:N0} of {stream.File}"))}");
        }

        if (manifest.Streams.FirstOrDefault(stream => stream.StalledNs > 0) is { } stalled)
        {
            console.Warn($"the disk was slower than {stalled.File} grew, for {stalled.StalledNs / 1e6:N0} ms: a faster one (-o) loses fewer events");
        }

        if (options.Decode && options.Activities.Count > 0 && manifest.Tables?.ContainsKey("activities") != true)
        {
            var sources = string.Join(", ", options.Activities);
            console.Warn($"no activity of {sources} began or ended: is that the name of an ActivitySource? --activities '*' records every source");
        }

        var next = CommandName.SaysNext ? $" Next: {(options.Decode ? "poolscope report" : CommandName.InOwnWords("poolscope decode"))} {shown}" : "";
        console.Error.WriteLine($"Captured {Describe(manifest, folder.TableBytes)} in {shown}.{next}");
        return ExitCode.Ok;
    }

    private static string Describe(CaptureManifest manifest, long tableBytes)
    {
        var recording = manifest.Phases.Single(phase => phase.Name == "recording");
        var why = manifest.Stop switch
        {
            StopReason.MaxSize => ", ended by --max-size",
            StopReason.TargetExit => ", ended with the process",
            _ => "",
        };
        var tables = tableBytes > 0 ? $" and {ByteSize.Format(tableBytes)} of tables" : "";
        return $"{(recording.EndNs - recording.StartNs) / 1e9:0.0} s of {manifest.Target.Name} ({ByteSize.Format(manifest.Streams.Sum(stream => stream.Bytes))}{tables}{why})";
    }

    /// <exception cref="CommandException">It is too old.</exception>
    internal static async Task<string> SupportedRuntimeAsync(ProcessCatalog catalog, int pid)
    {
        var runtime = await catalog.RuntimeAsync(pid).ConfigureAwait(false);
        return RuntimeVersion.Major(runtime) < RuntimeVersion.FirstSupported
            ? throw new CommandException(ExitCode.Unreadable, $"process {pid} runs {runtime}: .NET {RuntimeVersion.FirstSupported} or newer is needed")
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
        Tiers(options.Kernel, kernel),
        KernelRequired: options.Kernel != KernelChoice.Auto,
        options.PollStep,
        OnlyTarget: options.Scope == KernelScope.Target,
        Sockets: options.Sockets,
        Requests: options.Requests,
        Activities: options.Activities)
    {
        Labels = options.Labels,
        Look = options.Look,
    };

    /// <param name="kernel">The tiers of this system, best first.</param>
    internal static IReadOnlyList<IKernelTier> Tiers(KernelChoice choice, IReadOnlyList<IKernelTier> kernel) => choice switch
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
