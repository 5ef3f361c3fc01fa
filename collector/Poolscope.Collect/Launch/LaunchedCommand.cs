using System.ComponentModel;
using System.Diagnostics;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Launch;

/// <summary>A command started by the collector: its streams are the collector's own, it shares the process group, so that
/// Ctrl-C on the terminal reaches both, and the .NET process in it waits at its start.</summary>
public sealed class LaunchedCommand : IDisposable
{
    /// <summary>Names the capture folder to the command: a bundled workload leaves its ground truth there.</summary>
    public const string CaptureVariable = "POOLSCOPE_CAPTURE";

    private readonly Process _process;
    private readonly GuardedPort _port;

    private LaunchedCommand(Process process, GuardedPort port)
    {
        _process = process;
        _port = port;
        Exited = process.WaitForExitAsync();
    }

    public Task Exited { get; }

    public int Pid => _process.Id;

    /// <summary>128 + the signal where one ended it; null while it runs.</summary>
    public int? ExitCode => _process.HasExited ? _process.ExitCode : null;

    /// <summary>The collector, not the command itself, brought about its end.</summary>
    public bool EndedByCollector { get; private set; }

    /// <param name="command">The program and its arguments.</param>
    /// <param name="captureFolder">Full path, handed to the command as <see cref="CaptureVariable"/>.</param>
    /// <exception cref="CommandException">There is no such program, or it may not be started.</exception>
    public static LaunchedCommand Start(IReadOnlyList<string> command, string captureFolder)
    {
        // Before the command is started, so that there is no moment at which nobody would let it go.
        using var lifeLine = OpenLifeLine();
        var port = OpenPort(lifeLine);
        var start = new ProcessStartInfo(command[0], command.Skip(1)) { UseShellExecute = false };
        start.Environment[StartupPort.Variable] = port.Configuration;
        start.Environment[CaptureVariable] = captureFolder;
        try
        {
            return new LaunchedCommand(lifeLine.StartHolder(() => PrivateFiles.StartWithOwnUmask(() => Process.Start(start)!)), port);
        }
        catch (Win32Exception e)
        {
            port.Dispose();
            const int noEntry = 2;
            throw e.NativeErrorCode == noEntry
                ? new CommandException(Errors.ExitCode.NotFound, $"there is no program {command[0]}", e)
                : new CommandException(
                    Errors.ExitCode.NotRunnable, $"{command[0]} cannot be started: {new Win32Exception(e.NativeErrorCode).Message}", e);
        }
    }

    /// <summary>Waits until the command has started a .NET runtime.</summary>
    /// <returns>The pid of the process, which waits; null: the command ended, or the wait was called off, before.</returns>
    public async Task<int?> TargetAsync(CancellationToken cancel)
    {
        var over = Task.WhenAny(Exited, Task.Delay(Timeout.Infinite, cancel));
        return await Task.WhenAny(_port.Target, over).ConfigureAwait(false) == _port.Target ? await _port.Target.ConfigureAwait(false) : null;
    }

    /// <summary>Lets the target go, which waits until then.</summary>
    public Task ResumeAsync() => _port.ResumeAsync();

    /// <summary>Ends the command: a request first, by force when it has not followed it.</summary>
    /// <param name="signal">What to send; null: it had its Ctrl-C from the terminal already.</param>
    public async Task EndAsync(int? signal, TimeSpan grace, CancellationToken now)
    {
        if (_process.HasExited)
        {
            return;
        }

        EndedByCollector = true;
        if (signal is { } number)
        {
            _ = Libc.Kill(_process.Id, number);
        }

        try
        {
            await Exited.WaitAsync(grace, now).ConfigureAwait(false);
        }
        catch (Exception e) when (e is TimeoutException or OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
            await Exited.ConfigureAwait(false);
        }
    }

    public void Dispose()
    {
        _port.Dispose();
        _process.Dispose();
    }

    private static LifeLine OpenLifeLine()
    {
        try
        {
            return new LifeLine();
        }
        catch (IOException e)
        {
            throw new CommandException(Errors.ExitCode.Unreadable, e.Message, e);
        }
    }

    private static GuardedPort OpenPort(LifeLine lifeLine)
    {
        try
        {
            return GuardedPort.Open(lifeLine, Environment.GetEnvironmentVariable(StartupPort.Variable));
        }
        catch (IOException e)
        {
            throw new CommandException(Errors.ExitCode.Unreadable, e.Message, e);
        }
    }
}
