using System.Runtime.Versioning;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Windows;

/// <summary>Records the runtime's own streams on Windows through its named pipe, which needs no administrator rights.
/// The streams are those of Linux, without the kernel's.</summary>
[SupportedOSPlatform("windows")]
internal sealed class PipeCollect(ICommandConsole console, Decoder decoder)
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(10);

    private readonly CollectRun _run = new(console, decoder);

    /// <param name="tier">Gives the reason why there are no kernel events, or null if the user wants none.</param>
    public Task<int> RunAsync(CollectOptions options, IKernelTier? tier, StopRequest stop) =>
        options.Command.Count > 0 ? LaunchAsync(options, tier, stop) : AttachAsync(options, tier, stop);

    private async Task<int> AttachAsync(CollectOptions options, IKernelTier? tier, StopRequest stop)
    {
        using var target = options.ProcessId is { } pid ? WindowsTarget.Attach(pid) : WindowsTarget.Attach(options.Name!);
        var facts = await FactsAsync(target, launched: false).ConfigureAwait(false);
        var folder = CreateFolder(options, facts.Name);
        var recorder = await StartAsync(options, folder, facts, tier).ConfigureAwait(false);
        CaptureManifest manifest;
        await using (recorder.ConfigureAwait(false))
        {
            manifest = await _run.RecordAsync(recorder, stop, rewrite: true).ConfigureAwait(false);
        }

        return await _run.FinishAsync(options, folder, recorder, manifest, stop).ConfigureAwait(false);
    }

    private async Task<int> LaunchAsync(CollectOptions options, IKernelTier? tier, StopRequest stop)
    {
        if (DiagnosticsSwitch.TurnedOffBy(Variables()) is { } variable)
        {
            throw new CommandException(ExitCode.Unreadable, $"{variable} is set here, so {options.Command[0]} would accept no diagnostic connection: unset it and start again");
        }

        var folder = CreateFolder(options, ProcessNames.Of(options.Command));
        using var port = PipePort.Open(Environment.GetEnvironmentVariable(StartupPort.Variable));
        WindowsTarget command;
        try
        {
            command = WindowsTarget.Launch(options.Command, folder.FullPath, port.Configuration);
        }
        catch
        {
            folder.Discard();
            throw;
        }

        using (command)
        {
            CaptureRecorder recorder;
            try
            {
                recorder = await StartLaunchedAsync(options, command, port, folder, tier, stop).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                await command.EndAsync().ConfigureAwait(false);
                folder.Discard();
                throw e is CommandException known ? known.OfStartedCommand() : new CommandException(ExitCode.CouldNot, e.Message, e);
            }

            CaptureManifest manifest;
            await using (recorder.ConfigureAwait(false))
            {
                await port.LetGoAsync(CancellationToken.None).ConfigureAwait(false);
                manifest = await _run.RecordAsync(recorder, stop, rewrite: false).ConfigureAwait(false);
            }

            return await EndAsync(options, command, folder, recorder, manifest, stop).ConfigureAwait(false);
        }
    }

    private async Task<CaptureRecorder> StartLaunchedAsync(
        CollectOptions options, WindowsTarget command, PipePort port, CaptureFolder folder, IKernelTier? tier, StopRequest stop)
    {
        if (await Task.WhenAny(port.Target, command.Exited, stop.Requested).ConfigureAwait(false) != port.Target)
        {
            throw stop.Requested.IsCompleted
                ? new CommandException(ExitCode.Interrupted, $"stopped before {options.Command[0]} had started a .NET process")
                : new CommandException(ExitCode.CouldNot, $"{options.Command[0]} ended (exit code {command.ExitCode}) without starting a .NET process");
        }

        var pid = (await port.Target.ConfigureAwait(false)).Pid;
        using var target = WindowsTarget.Attach(pid);
        return await StartAsync(options, folder, await FactsAsync(target, launched: true).ConfigureAwait(false), tier).ConfigureAwait(false);
    }

    /// <summary>Ends a command that still runs. If its target ended by itself, or the recording failed, it first waits
    /// for the command, which may have more to do.</summary>
    private async Task<int> EndAsync(
        CollectOptions options, WindowsTarget command, CaptureFolder folder, CaptureRecorder recorder, CaptureManifest manifest, StopRequest stop)
    {
        if (recorder.WriteFailure is { } failure)
        {
            console.Warn($"recording failed, and {options.Command[0]} runs on: {failure}");
        }

        if (recorder.WriteFailure is not null || manifest.Stop is StopReason.TargetExit or StopReason.TargetKilled)
        {
            await Task.WhenAny(command.Exited, stop.Requested).ConfigureAwait(false);
        }

        var endedByItself = command.HasExited;
        await command.EndAsync().ConfigureAwait(false);
        recorder.RecordExitCode(command.ExitCode);
        var exitCode = await _run.FinishAsync(options, folder, recorder, manifest, stop).ConfigureAwait(false);
        return endedByItself && exitCode == ExitCode.Ok ? command.ExitCode ?? ExitCode.Ok : exitCode;
    }

    private async Task<CaptureRecorder> StartAsync(CollectOptions options, CaptureFolder folder, TargetInfo facts, IKernelTier? tier)
    {
        try
        {
            var recorder = await CaptureRecorder.StartAsync(Plan(options, folder, facts, tier), ProcFs.System).ConfigureAwait(false);
            _run.WarnOfRefusals(recorder);
            return recorder;
        }
        catch
        {
            folder.Discard();
            throw;
        }
    }

    /// <exception cref="CommandException">The process does not answer as .NET, or its runtime is too old.</exception>
    private static async Task<TargetInfo> FactsAsync(WindowsTarget target, bool launched)
    {
        var outside = target.Describe();
        if (outside.Runtime is { } framework)
        {
            throw new CommandException(ExitCode.Unreadable, $"process {target.Pid} ({outside.Name}) runs {framework}, which only ETW records: run from a prompt that was started as administrator");
        }

        if (await DiagnosticIpc.AskByPipeAsync(target.Pid, AnswerTimeout).ConfigureAwait(false) is not { } answer)
        {
            throw new CommandException(
                ExitCode.Unreadable,
                $"process {target.Pid} ({outside.Name}) does not answer: it is no .NET process, another user's, held in a debugger, or its diagnostics are off (DOTNET_EnableDiagnostics=0)");
        }

        var facts = await WindowsFacts.ReadAsync(target, answer, launched).ConfigureAwait(false);
        return RuntimeVersion.Major(facts.Runtime) < RuntimeVersion.FirstSupported
            ? throw new CommandException(ExitCode.Unreadable, $"process {target.Pid} runs {facts.Runtime}: .NET {RuntimeVersion.FirstSupported} or newer is needed")
            : facts;
    }

    private static CaptureFolder CreateFolder(CollectOptions options, string name) => CaptureFolder.Create(
        options.Output ?? CaptureFolder.DefaultPath(Environment.CurrentDirectory, Path.GetFileNameWithoutExtension(name), DateTime.Now));

    private static RecordingPlan Plan(CollectOptions options, CaptureFolder folder, TargetInfo facts, IKernelTier? tier) => new(
        folder.FullPath,
        facts.Pid,
        facts.Launched,
        facts.Runtime,
        options.BufferMb,
        options.MaxBytes,
        Tables: options.Decode,
        options.Duration,
        options.Snapshots > TimeSpan.Zero ? options.Snapshots : null,
        options.Waits,
        tier is null ? [] : [tier],
        KernelRequired: false,
        options.PollStep,
        OnlyTarget: false,
        Sockets: options.Sockets,
        Requests: options.Requests,
        Activities: options.Activities)
    {
        Labels = options.Labels,
        Target = facts,
    };

    private static Dictionary<string, string> Variables() => Environment.GetEnvironmentVariables()
        .Cast<System.Collections.DictionaryEntry>()
        .ToDictionary(entry => (string)entry.Key, entry => (string?)entry.Value ?? "", StringComparer.OrdinalIgnoreCase);
}
