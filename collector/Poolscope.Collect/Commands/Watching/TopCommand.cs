using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Flight;
using Poolscope.Collect.Live;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Collect.Views;
using Poolscope.Decode.Live;

namespace Poolscope.Collect.Commands.Watching;

/// <summary>Shows the state of a pool each second and records nothing. It reads the runtime's counters and, while items
/// wait, the pool's own rare events.</summary>
public sealed class TopCommand(ICommandConsole console, ProcFs proc)
{
    private static readonly TimeSpan SessionTimeout = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    private readonly ProcessCatalog _catalog = new(proc);

    /// <returns>An <see cref="ExitCode"/>.</returns>
    /// <exception cref="CommandException">The process cannot be watched; the message says why.</exception>
    public async Task<int> RunAsync(TopOptions options, StopRequest stop)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new CommandException(ExitCode.Unreadable, "top runs on Linux only");
        }

        if (options.ProcessId is null == options.Name is null)
        {
            throw new CommandException(ExitCode.Usage, "say what to look at: one of -p PID and -n NAME");
        }

        var pid = options.ProcessId ?? await _catalog.FindByNameAsync(options.Name!).ConfigureAwait(false);
        _catalog.RequireCapturable(pid);
        await _catalog.RequireAnswerAsync(pid).ConfigureAwait(false);
        var runtime = await CollectCommand.SupportedRuntimeAsync(_catalog, pid).ConfigureAwait(false);
        var start = proc.StartTicks(pid);
        var client = await DiagnosticClients.OfAsync(proc, pid).ConfigureAwait(false);
        var session = await OpenAsync(client, pid).ConfigureAwait(false);
        var counters = new CounterRing();
        var follower = new PoolFollower(session.EventStream, MonotonicClock.NowNs, tape: null, counters.Add);
        var readings = new TargetReadings(proc, pid, ProcessNames.Of(proc.CommandLine(pid)), runtime, followed: false);
        var board = new StateBoard();
        var stacks = RuntimeVersion.Major(runtime) < RuntimeVersion.FirstWithoutStacks;
        var goals = new GoalSession(() => EventPipeRecording.OpenAsync(client, SessionPlan.PoolAlone(stacks), SessionTimeout));
        try
        {
            using var end = CancellationTokenSource.CreateLinkedTokenSource(stop.Token);
            if (options.Duration is { } duration)
            {
                end.CancelAfter(duration);
            }

            var screen = !options.Json && Terminals.CanShow ? ViewScreen.Show(board, console, end.Cancel) : null;
            try
            {
                while (!end.IsCancellationRequested && !StandardOutput.IsAbandoned && !follower.Ended.IsCompleted && proc.IsAlive(pid) && proc.StartTicks(pid) == start)
                {
                    _ = await Task.WhenAny(follower.Ended, Task.Delay(Beat, end.Token)).ConfigureAwait(false);
                    var now = MonotonicClock.NowNs;
                    var looked = readings.State(WatchPhase.Observing, follower.Sample(now), waitNs: 0, counters.Between(readings.NextNs, long.MaxValue));
                    var state = board.Post(goals.Look(looked, now));
                    counters.Forget(readings.NextNs);
                    if (screen is null && !end.IsCancellationRequested)
                    {
                        console.Out.WriteLine(options.Json ? StateLine.Of(state).Text() : StateWords.Line(state));
                    }
                }
            }
            finally
            {
                if (screen is not null)
                {
                    await screen.DisposeAsync().ConfigureAwait(false);
                }
            }
        }
        finally
        {
            await goals.DisposeAsync().ConfigureAwait(false);
            await GoalSession.EndAsync(session, follower.Ended).ConfigureAwait(false);
        }

        if (follower.Damage is { } damage)
        {
            throw new CommandException(ExitCode.Unreadable, $"the events of process {pid} cannot be followed: {damage}");
        }

        if (!options.Json && !proc.IsAlive(pid))
        {
            console.Error.WriteLine($"Process {pid} has ended.");
        }

        return ExitCode.Ok;
    }

    private static async Task<EventPipeSession> OpenAsync(DiagnosticsClient client, int pid)
    {
        try
        {
            return await EventPipeRecording.OpenAsync(client, SessionPlan.Counters(Beat), SessionTimeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            throw DiagnosticErrors.NoSession(pid, e);
        }
    }
}
