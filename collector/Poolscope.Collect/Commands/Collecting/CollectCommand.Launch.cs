using Poolscope.Collect.Errors;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Commands.Collecting;

/// <content>Records a process that the collector starts itself.</content>
public sealed partial class CollectCommand
{
    /// <summary>The time a command may take to end: ASP.NET Core takes up to 30 s to finish its requests.</summary>
    private static readonly TimeSpan ChildGrace = TimeSpan.FromSeconds(30);

    /// <summary>The same for a child that already got Ctrl-C from the terminal.</summary>
    private static readonly TimeSpan InterruptedGrace = TimeSpan.FromSeconds(5);

    private async Task<int> LaunchAsync(CollectOptions options, StopRequest stop)
    {
        if (DiagnosticsSwitch.TurnedOffBy(proc.EnvironmentOf(Environment.ProcessId)) is { } variable)
        {
            throw new CommandException(ExitCode.Unreadable, $"{variable} is set here, so {options.Command[0]} would accept no diagnostic connection: unset it and start again");
        }

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
            try
            {
                return await RecordLaunchedAsync(options, child, folder, stop).ConfigureAwait(false);
            }
            catch (CommandException e)
            {
                throw e.OfStartedCommand();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new CommandException(ExitCode.CouldNot, e.Message, e);
            }
        }
    }

    private async Task<int> RecordLaunchedAsync(CollectOptions options, LaunchedCommand child, CaptureFolder folder, StopRequest stop)
    {
        var recorder = await StartLaunchedAsync(options, child, folder, stop).ConfigureAwait(false);
        CaptureManifest manifest;
        try
        {
            await using (recorder.ConfigureAwait(false))
            {
                await child.ResumeAsync().ConfigureAwait(false);
                manifest = await _run.RecordAsync(recorder, stop, rewrite: false).ConfigureAwait(false);
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
        var exitCode = await _run.FinishAsync(options, folder, recorder, manifest, stop).ConfigureAwait(false);
        return child.EndedByCollector || exitCode != ExitCode.Ok ? exitCode : child.ExitCode ?? ExitCode.Ok;
    }

    private async Task<CaptureRecorder> StartLaunchedAsync(
        CollectOptions options, LaunchedCommand child, CaptureFolder folder, StopRequest stop)
    {
        try
        {
            var (found, mute) = await FindTargetAsync(options.Command[0], child, stop).ConfigureAwait(false);
            if (found is not { } target)
            {
                var none = mute is null ? "a .NET process" : $"a .NET process that can be recorded: {mute}";
                throw stop.Token.IsCancellationRequested
                    ? new CommandException(WasInterrupted(stop) ? ExitCode.Interrupted : ExitCode.CouldNot, $"stopped before {options.Command[0]} had started {none}")
                    : new CommandException(ExitCode.CouldNot, $"{options.Command[0]} ended (exit code {child.ExitCode}) without starting {none}");
            }

            var runtime = await SupportedRuntimeAsync(_catalog, target).ConfigureAwait(false);
            var recorder = await CaptureRecorder.StartAsync(Plan(options, folder, target, launched: true, runtime), proc).ConfigureAwait(false);
            _run.WarnOfRefusals(recorder);
            return recorder;
        }
        catch
        {
            await child.EndAsync(Libc.SigTerm, InterruptedGrace, stop.Hurry).ConfigureAwait(false);
            folder.Discard();
            throw;
        }
    }

    /// <returns>The target, or null if the command ended or was ended, and a description of a process of the command
    /// whose diagnostics are turned off, or null if none was seen.</returns>
    private async Task<(int? Target, string? Mute)> FindTargetAsync(string name, LaunchedCommand child, StopRequest stop)
    {
        using var found = CancellationTokenSource.CreateLinkedTokenSource(stop.Token);
        var target = child.TargetAsync(stop.Token);
        var mute = MuteProcesses.FindAsync(proc, child.Pid, found.Token);
        if (await Task.WhenAny(target, mute).ConfigureAwait(false) == mute && await mute.ConfigureAwait(false) is not null)
        {
            console.Warn($"{name}: {Describe(await mute.ConfigureAwait(false))}; waiting for another process of it");
        }

        var pid = await target.ConfigureAwait(false);
        await found.CancelAsync().ConfigureAwait(false);
        return (pid, Describe(await mute.ConfigureAwait(false)));

        static string? Describe((int Pid, string Variable)? seen) => seen is { } one
            ? $"process {one.Pid} was started with {one.Variable}, which turns its diagnostics off (start it without the variable)"
            : null;
    }

    /// <summary>Ends a command that still runs after the recording, because nothing else will. If the target ended by
    /// itself or the recording failed, it first waits for the command, which may have more to do.</summary>
    /// <param name="reason">One of <see cref="StopReason"/>, or null if the recording failed.</param>
    private static async Task EndChildAsync(LaunchedCommand child, string? reason, StopRequest stop)
    {
        if (reason is null or StopReason.TargetExit or StopReason.TargetKilled)
        {
            await Task.WhenAny(child.Exited, stop.Requested).ConfigureAwait(false);
        }

        var interrupted = WasInterrupted(stop);
        if (interrupted && !Console.IsInputRedirected)
        {
            // The terminal has already sent SIGINT to the child. A second one would cut its clean shutdown short.
            await Task.WhenAny(child.Exited, Task.Delay(InterruptedGrace, stop.Hurry)).ConfigureAwait(false);
        }

        await child.EndAsync(interrupted && Console.IsInputRedirected ? Libc.SigInt : Libc.SigTerm, ChildGrace, stop.Hurry).ConfigureAwait(false);
    }

    private static bool WasInterrupted(StopRequest stop) =>
        stop.Requested is { IsCompletedSuccessfully: true, Result: System.Runtime.InteropServices.PosixSignal.SIGINT };
}
