using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Commands.Collecting;

/// <summary>Records a running process, or one that it launches, into a capture folder.</summary>
/// <param name="kernel">The kernel tiers of this system, best first.</param>
public sealed partial class CollectCommand(ICommandConsole console, ProcFs proc, IReadOnlyList<IKernelTier> kernel, Decoder decoder)
{
    private readonly ProcessCatalog _catalog = new(proc);
    private readonly CollectRun _run = new(console, decoder);

    /// <returns>An <see cref="ExitCode"/>, or the exit code of a command that ended by itself.</returns>
    /// <exception cref="CommandException">The capture failed or is broken; the message says why.</exception>
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

    /// <exception cref="CommandException">This machine cannot record, or not with these options.</exception>
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

    /// <exception cref="CommandException">The options give none, or more than one, of -p, -n and a command.</exception>
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
            manifest = await _run.RecordAsync(recorder, stop, rewrite: true).ConfigureAwait(false);
        }

        return await _run.FinishAsync(options, folder, recorder, manifest, stop).ConfigureAwait(false);
    }

    private async Task<CaptureRecorder> StartOrDiscardAsync(RecordingPlan plan, CaptureFolder folder)
    {
        try
        {
            var recorder = await CaptureRecorder.StartAsync(plan, proc).ConfigureAwait(false);
            _run.WarnOfRefusals(recorder);
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

    /// <exception cref="CommandException">The runtime is too old.</exception>
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
}
