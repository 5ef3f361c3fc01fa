using System.ComponentModel;
using System.Diagnostics;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Commands;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>A command started by the collector: its streams are the collector's own, it shares the process group, so that
/// Ctrl-C on the terminal reaches both, and the .NET process in it waits at its start.</summary>
public sealed class LaunchedCommand : IDisposable
{
    private const string PortsVariable = "DOTNET_DiagnosticPorts";

    private readonly Process _process;
    private readonly StartupPort _port;
    private readonly string? _portsBefore;

    private LaunchedCommand(Process process, StartupPort port, string? portsBefore)
    {
        _process = process;
        _port = port;
        _portsBefore = portsBefore;
        Exited = process.WaitForExitAsync();
    }

    public Task Exited { get; }

    /// <summary>128 + the signal where one ended it; null while it runs.</summary>
    public int? ExitCode => _process.HasExited ? _process.ExitCode : null;

    /// <summary>The collector, not the command itself, brought about its end.</summary>
    public bool EndedByCollector { get; private set; }

    /// <exception cref="CommandException">There is no such program, or it may not be started.</exception>
    public static LaunchedCommand Start(IReadOnlyList<string> command)
    {
        StartupPort port;
        try
        {
            port = StartupPort.Open();
        }
        catch (IOException e)
        {
            throw new CommandException(Commands.ExitCode.SessionCreation, e.Message, e);
        }

        var start = new ProcessStartInfo(command[0], command.Skip(1)) { UseShellExecute = false };
        var before = start.Environment.TryGetValue(PortsVariable, out var ports) ? ports : null;
        start.Environment[PortsVariable] = string.IsNullOrEmpty(before) ? port.Configuration : $"{port.Configuration};{before}";
        try
        {
            return new LaunchedCommand(Process.Start(start)!, port, before);
        }
        catch (Win32Exception e)
        {
            port.Dispose();
            const int noEntry = 2;
            throw new CommandException(
                Commands.ExitCode.Argument,
                e.NativeErrorCode == noEntry ? $"there is no program {command[0]}" : $"{command[0]} cannot be started: {new Win32Exception(e.NativeErrorCode).Message}",
                e);
        }
    }

    /// <summary>Waits until the command has started a .NET runtime.</summary>
    /// <returns>Null: it ended, or the wait was called off, before.</returns>
    public async Task<StartingProcess?> TargetAsync(CancellationToken cancel)
    {
        var over = Task.WhenAny(Exited, Task.Delay(Timeout.Infinite, cancel));
        return await Task.WhenAny(_port.Target, over).ConfigureAwait(false) == _port.Target ? await _port.Target.ConfigureAwait(false) : null;
    }

    /// <summary>Gives the target back the environment that it would have had, so that what it starts later does not wait
    /// for a collector that is no longer there. Only while it waits.</summary>
    public async Task RestoreEnvironmentAsync(DiagnosticsClient client, TimeSpan timeout)
    {
        try
        {
            // There is no asynchronous form.
            await Task.Run(() => client.SetEnvironmentVariable(PortsVariable, _portsBefore!)).WaitAsync(timeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // Older than .NET 6: the port lets such processes go for as long as it is open.
        }
    }

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
            _ = LibC.Kill(_process.Id, number);
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
}
