using System.Runtime.InteropServices;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Kept;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Live;
using Poolscope.Collect.Metrics;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Collect.Views;
using Poolscope.Collect.Watching;

namespace Poolscope.Collect.Commands.Watching;

/// <summary>Waits for a condition, for weeks if necessary, and captures each incident with the time before
/// it.</summary>
/// <param name="kernel">The kernel tiers of this system, best first.</param>
public sealed class WatchCommand(ICommandConsole console, ProcFs proc, IReadOnlyList<IKernelTier> kernel, Decoder decoder)
{
    /// <summary>The event buffer inside the target, in MB per session. It is smaller than that of `collect`, because
    /// two sessions are open all the time, and a collector that falls behind by this much is seconds late.</summary>
    private const int BufferMb = 64;

    /// <summary>The time between two searches for a process with the given name.</summary>
    private static readonly TimeSpan LookAgain = TimeSpan.FromSeconds(1);

    private readonly ProcessCatalog _catalog = new(proc);

    /// <returns>An <see cref="ExitCode"/>.</returns>
    /// <exception cref="CommandException">Watching failed; the message says why.</exception>
    public async Task<int> RunAsync(WatchOptions options, StopRequest stop)
    {
        RequireOneTarget(options);
        CollectCommand.Require(options.Kernel, options.Decode, "watch");
        var hook = CaptureHook.Find(options.Exec);
        if (options.ProcessId is { } given)
        {
            _catalog.RequireCapturable(given);
        }

        var board = new StateBoard(options.MaxBytes, options.Keep);
        var metrics = options.Metrics is { } address ? MetricsEndpoint.Start(address, board) : null;
        try
        {
            return await ShowAsync(options, board, hook, stop).ConfigureAwait(false);
        }
        finally
        {
            if (metrics is not null)
            {
                await metrics.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private async Task<int> ShowAsync(WatchOptions options, StateBoard board, CaptureHook? hook, StopRequest stop)
    {
        using var kept = KeptCaptures.Open(options.Output, options.Keep, options.MaxBytes * 2 / WatchOptions.Shares);
        var view = options.Live && Terminals.CanShow ? ViewScreen.Show(board, console, () => stop.Request(PosixSignal.SIGINT)) : null;
        var log = new WatchLog(console, options.Json ? LogForm.Json : view is not null ? LogForm.Afterwards : options.Live ? LogForm.Lines : LogForm.Words, board);
        log.Say($"Captures go to {kept.Folder}. Ctrl-C ends this.");
        if (options.Metrics is not null)
        {
            log.Say($"Metrics are at {options.Metrics.Url}.");
        }

        try
        {
            return await WatchAllAsync(options, kept, log, hook, stop).ConfigureAwait(false);
        }
        finally
        {
            if (view is not null)
            {
                await view.DisposeAsync().ConfigureAwait(false);
            }

            log.End();
        }
    }

    private async Task<int> WatchAllAsync(WatchOptions options, KeptCaptures kept, WatchLog log, CaptureHook? hook, StopRequest stop)
    {
        if (options.ProcessId is { } pid)
        {
            var start = proc.StartTicks(pid);
            do
            {
                await WatchAsync(pid, options, kept, log, hook, stop).ConfigureAwait(false);
            }
            while (await LivesOnAsync(pid, start, stop).ConfigureAwait(false));
            log.Say(stop.Requested.IsCompleted ? "Ended." : $"Process {pid} has ended.");
            return ExitCode.Ok;
        }

        while (await FindAsync(options.Name!, log, kept, stop).ConfigureAwait(false) is { } found)
        {
            try
            {
                await WatchAsync(found, options, kept, log, hook, stop).ConfigureAwait(false);
            }
            catch (CommandException e) when (e.ExitCode == ExitCode.Unreadable)
            {
                // The process may have ended when it was asked, or be about to end: wait for the next one.
                log.Warn(e.Message, found);
                await Task.WhenAny(stop.Requested, Task.Delay(LookAgain)).ConfigureAwait(false);
            }
        }

        log.Say("Ended.");
        return ExitCode.Ok;
    }

    /// <summary>Returns whether the process still runs. A process that exits ends its events some moments earlier; one
    /// that only ended its events is watched again.</summary>
    private async Task<bool> LivesOnAsync(int pid, long? start, StopRequest stop)
    {
        if (!stop.Requested.IsCompleted)
        {
            await Task.WhenAny(stop.Requested, Task.Delay(LookAgain * 2)).ConfigureAwait(false);
        }

        return !stop.Requested.IsCompleted && proc.IsAlive(pid) && proc.StartTicks(pid) == start;
    }

    /// <exception cref="CommandException">The options give neither or both of -p and -n.</exception>
    private static void RequireOneTarget(WatchOptions options)
    {
        if (options.ProcessId is null == options.Name is null)
        {
            throw new CommandException(ExitCode.Usage, "say what to watch: one of -p PID and -n NAME");
        }
    }

    /// <summary>Waits until exactly one process has the name.</summary>
    /// <returns>The process id, or null after a signal.</returns>
    private async Task<int?> FindAsync(string name, WatchLog log, KeptCaptures kept, StopRequest stop)
    {
        var (said, several) = (false, false);
        while (!stop.Requested.IsCompleted)
        {
            var matches = (await _catalog.ListAsync().ConfigureAwait(false)).Where(process => process.Name == name).ToList();
            if (matches is [var one])
            {
                return one.Pid;
            }

            if (matches.Count > 1 && !several)
            {
                several = true;
                log.Warn($"{matches.Count} processes are named {name} ({string.Join(", ", matches.Select(process => process.Pid))}): waiting until there is one; -p chooses one of them");
            }
            else if (!said && matches.Count == 0)
            {
                said = true;
                log.Say($"Waiting for a .NET process named {name}.");
            }

            log.State(new PoolState(DateTime.UtcNow, WatchPhase.Waiting) { Bytes = KeptCaptures.SizeOf(kept.Folder), Captures = kept.Captures.Count });
            await Task.WhenAny(stop.Requested, Task.Delay(LookAgain)).ConfigureAwait(false);
        }

        return null;
    }

    private async Task WatchAsync(int pid, WatchOptions options, KeptCaptures kept, WatchLog log, CaptureHook? hook, StopRequest stop)
    {
        await _catalog.RequireAnswerAsync(pid).ConfigureAwait(false);
        if (SuspendedTarget.Find(proc, pid) is { } suspended)
        {
            await suspended.ResumeAsync().ConfigureAwait(false);
            log.Warn($"process {pid} was suspended at its start for a collector that no longer exists; it runs now", pid);
        }

        var runtime = await CollectCommand.SupportedRuntimeAsync(_catalog, pid).ConfigureAwait(false);
        var name = ProcessNames.Of(proc.CommandLine(pid));
        var plan = new WatchPlan(
            pid,
            name,
            options.When,
            options.Before,
            options.After,
            Plan(options, kept.SnapshotsFolder, pid, runtime),
            folder => DecodeAsync(folder, options, log, pid, stop),
            capture => hook is null ? Task.CompletedTask : RunHookAsync(hook, capture, log, pid));
        var watch = await TargetWatch.StartAsync(plan, proc, kept, log).ConfigureAwait(false);
        await using (watch.ConfigureAwait(false))
        {
            log.Say($"Watching {name} ({pid}) for: {options.When.Text}.");
            await watch.RunAsync(stop).ConfigureAwait(false);
        }
    }

    private RecordingPlan Plan(WatchOptions options, string folder, int pid, string runtime) => new(
        folder,
        pid,
        Launched: false,
        runtime,
        BufferMb,
        options.MaxBytes / WatchOptions.Shares,
        Tables: options.Decode,
        Duration: null,
        options.Snapshots > TimeSpan.Zero ? options.Snapshots : null,
        Waits: true,
        CollectCommand.Tiers(options.Kernel, kernel),
        KernelRequired: options.Kernel != KernelChoice.Auto,
        CollectOptions.DefaultPollStep,
        OnlyTarget: options.Scope == KernelScope.Target,
        Sockets: true,
        Requests: true,
        Activities: [])
    {
        Labels = options.Labels,
        Look = options.Look,
    };

    /// <summary>Makes the tables of a capture. If that fails, the capture is kept: `decode` may succeed
    /// elsewhere.</summary>
    /// <returns>Whether the capture has tables.</returns>
    private async Task<bool> DecodeAsync(string folder, WatchOptions options, WatchLog log, int pid, StopRequest stop)
    {
        if (!options.Decode)
        {
            return false;
        }

        try
        {
            await decoder(folder, new Progress<string>(), stop.Hurry).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            log.Warn(CommandName.InOwnWords("a second signal came: the capture has no tables; make them with poolscope decode"), pid);
        }
        catch (Exception e) when (e is CommandException or IOException or UnauthorizedAccessException or InvalidDataException or System.Text.Json.JsonException)
        {
            log.Warn($"the capture's tables could not be made: {e.Message}", pid);
        }
        finally
        {
            // Decoding takes some hundred megabytes for a moment, and this process runs for weeks.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        }

        return false;
    }

    private static async Task RunHookAsync(CaptureHook hook, string capture, WatchLog log, int pid)
    {
        if (await hook.RunAsync(capture, log.Print).ConfigureAwait(false) is { } failure)
        {
            log.Warn($"--exec: {failure}", pid);
        }
    }
}
