using System.Diagnostics;
using System.Numerics;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Launch;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Windows;

/// <summary>The target of a recording on Windows.</summary>
internal sealed class WindowsTarget : IDisposable
{
    private const string FrameworkRuntime = "clr.dll";

    private readonly Process _process;
    private readonly IReadOnlyList<string> _command;
    private readonly bool _launched;

    private WindowsTarget(Process process, IReadOnlyList<string> command, bool launched) =>
        (_process, _command, _launched) = (process, command, launched);

    public int Pid => _process.Id;

    public bool HasExited => _process.HasExited;

    public int? ExitCode => _process.HasExited && _launched ? _process.ExitCode : null;

    public Task Exited => _process.WaitForExitAsync();

    /// <exception cref="CommandException">There is no such process.</exception>
    public static WindowsTarget Attach(int pid)
    {
        try
        {
            var process = Process.GetProcessById(pid);
            return new WindowsTarget(process, [process.ProcessName], launched: false);
        }
        catch (ArgumentException)
        {
            throw new CommandException(Errors.ExitCode.Unreadable, $"there is no process {pid}");
        }
    }

    /// <param name="name">The name, with or without .exe.</param>
    /// <exception cref="CommandException">No process has the name, or several have.</exception>
    public static WindowsTarget Attach(string name)
    {
        var matches = Process.GetProcessesByName(name.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) ? name[..^4] : name);
        return matches switch
        {
            [var one] => new WindowsTarget(one, [one.ProcessName], launched: false),
            [] => throw new CommandException(Errors.ExitCode.Unreadable, $"no process is named {name}"),
            _ => throw new CommandException(
                Errors.ExitCode.Unreadable,
                $"{matches.Length} processes are named {name}: choose one with -p ({string.Join(", ", matches.Select(process => process.Id).Order())})"),
        };
    }

    /// <param name="captureFolder">The folder passed to the command, for workloads that write their ground truth
    /// there.</param>
    /// <param name="ports">The value of <see cref="StartupPort.Variable"/>, or null to leave it as it is.</param>
    /// <exception cref="CommandException">The command cannot be started.</exception>
    public static WindowsTarget Launch(IReadOnlyList<string> command, string captureFolder, string? ports = null)
    {
        var start = new ProcessStartInfo(command[0], command.Skip(1));
        start.Environment[LaunchedCommand.CaptureVariable] = captureFolder;
        if (ports is not null)
        {
            start.Environment[StartupPort.Variable] = ports;
        }

        try
        {
            return new WindowsTarget(Process.Start(start)!, command, launched: true);
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            const int noEntry = 2;
            throw new CommandException(
                e.NativeErrorCode == noEntry ? Errors.ExitCode.NotFound : Errors.ExitCode.NotRunnable, $"{command[0]} cannot be started: {e.Message}", e);
        }
    }

    /// <summary>Kills a launched command that still runs when the recording is over. Windows has no gentler way that
    /// every program understands.</summary>
    public async Task EndAsync()
    {
        if (_launched && !_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync().ConfigureAwait(false);
        }
    }

    public TargetInfo Describe()
    {
        var processors = OperatingSystem.IsWindows() && !_process.HasExited
            ? BitOperations.PopCount((ulong)_process.ProcessorAffinity)
            : Environment.ProcessorCount;
        return new TargetInfo
        {
            Pid = Pid,
            Name = _process.HasExited ? _command[0] : _process.ProcessName,
            Command = _command,
            Launched = _launched,
            Runtime = RunsFramework() ? ".NET Framework" : null,
            CpusAllowed = processors,
            ProcessorCount = processors,
            MinThreads = new KnownValue(processors, "default"),
            MaxThreads = new KnownValue(TargetFacts.DefaultMaxThreads, "default"),
        };
    }

    public void Dispose() => _process.Dispose();

    /// <summary>The path of its program, or null if the process is protected, or has ended.</summary>
    public string? ProgramPath => Read(() => _process.MainModule?.FileName);

    /// <summary>The time that it has run, or null as for <see cref="ProgramPath"/>.</summary>
    public TimeSpan? Age => Read<TimeSpan?>(() => DateTime.Now - _process.StartTime);

    private bool RunsFramework() =>
        Read(() => _process.Modules.Cast<ProcessModule>().Any(m => string.Equals(m.ModuleName, FrameworkRuntime, StringComparison.OrdinalIgnoreCase)));

    private static T? Read<T>(Func<T?> read)
    {
        try
        {
            return read();
        }
        catch (Exception e) when (e is System.ComponentModel.Win32Exception or InvalidOperationException)
        {
            return default;
        }
    }
}
