using System.ComponentModel;
using System.Diagnostics;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Launch;

/// <summary>A command that the collector started. It uses the collector's streams and shares its process group, so that
/// Ctrl-C on the terminal reaches both. Its .NET process waits at its start.</summary>
public sealed class LaunchedCommand : IDisposable
{
    /// <summary>The variable with the capture folder. Bundled workloads leave their ground truth there.</summary>
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

    /// <summary>The exit code: 128 plus the signal if a signal ended the command, null while it runs.</summary>
    public int? ExitCode => _process.HasExited ? _process.ExitCode : null;

    /// <summary>Whether the collector, and not the command itself, caused its end.</summary>
    public bool EndedByCollector { get; private set; }

    /// <param name="command">The program and its arguments.</param>
    /// <param name="captureFolder">The full path, passed to the command as <see cref="CaptureVariable"/>.</param>
    /// <exception cref="CommandException">The program does not exist, or may not be started.</exception>
    public static LaunchedCommand Start(IReadOnlyList<string> command, string captureFolder)
    {
        // The guard must exist before the command starts. Otherwise a command could wait with no process to resume it.
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
    /// <returns>The pid of the process, which waits, or null if the command ended or <paramref name="cancel"/> was
    /// signalled before.</returns>
    public async Task<int?> TargetAsync(CancellationToken cancel)
    {
        var over = Task.WhenAny(Exited, Task.Delay(Timeout.Infinite, cancel));
        return await Task.WhenAny(_port.Target, over).ConfigureAwait(false) == _port.Target ? await _port.Target.ConfigureAwait(false) : null;
    }

    /// <summary>Resumes the target, which waits until then.</summary>
    public Task ResumeAsync() => _port.ResumeAsync();

    /// <summary>Ends the command: with a signal first, by force if it does not end in time.</summary>
    /// <param name="signal">The signal to send, or null if the command already got Ctrl-C from the terminal.</param>
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
