using System.Diagnostics;

namespace Poolscope.Workloads.Running;

/// <summary>This program again, or another one beside it, in a process of its own, so that its threads and its pool are
/// not the target's. It ends when this object is disposed, and also when this process ends in any way, because it
/// watches its standard input, whose other end is here.</summary>
public sealed class OwnProgram : IDisposable
{
    private const string Workloads = "poolscope-workloads";

    private static readonly TimeSpan TimeToEnd = TimeSpan.FromSeconds(2);

    private readonly Process _process;

    // Kept here, because a signal may ask the child to end after the process object is disposed.
    private readonly StreamWriter _input;

    private OwnProgram(Process process, string firstLine)
    {
        _process = process;
        _input = process.StandardInput;
        FirstLine = firstLine;
    }

    /// <summary>The line that the program printed when it was ready.</summary>
    public string FirstLine { get; }

    public int ProcessId => _process.Id;

    /// <summary>Starts the program and waits for its first line.</summary>
    /// <param name="name">Description of the program, for the message.</param>
    /// <param name="arguments">A hidden verb with its options. The verb prints a line when it is ready and ends with
    /// its standard input.</param>
    /// <exception cref="WorkloadFailedException">The program did not start, or ended without a line.</exception>
    public static OwnProgram Start(string name, params string[] arguments) => StartProgram(Workloads, name, arguments);

    /// <summary>Starts another program of this folder, like <see cref="Start"/>.</summary>
    /// <param name="program">File name of the program without its extension.</param>
    /// <exception cref="WorkloadFailedException">The program did not start, or ended without a line.</exception>
    public static OwnProgram StartProgram(string program, string name, params string[] arguments)
    {
        var start = Command(program);
        foreach (var argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        Isolate(start.Environment);
        try
        {
            var process = Process.Start(start) ?? throw new WorkloadFailedException($"{name} did not start");
            if (process.StandardOutput.ReadLine() is { } line)
            {
                return new OwnProgram(process, line);
            }

            process.Kill();
            process.Dispose();
        }
        catch (Exception e) when (e is InvalidOperationException or System.ComponentModel.Win32Exception or IOException)
        {
            throw new WorkloadFailedException($"{name} did not start: {e.Message}");
        }

        throw new WorkloadFailedException($"{name} started, but ended at once");
    }

    /// <summary>Returns when the parent has ended or has disposed its object. For the child.</summary>
    public static void WaitForParent()
    {
        while (Console.In.Read() >= 0)
        {
            // Ignores the input: only its end matters, which is the end of the parent.
        }
    }

    /// <summary>Blocks the calling thread until the child has closed its output.</summary>
    /// <returns>The output after <see cref="FirstLine"/>.</returns>
    public string ReadToEnd() => _process.StandardOutput.ReadToEnd();

    /// <summary>Asks the child to end, and returns at once. Any thread may call it, also during a read or after the
    /// end.</summary>
    public void AskToEnd() => _input.Close();

    public void Dispose()
    {
        _input.Close();
        if (!_process.WaitForExit(TimeToEnd))
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    /// <summary>Returns the command: the program's own launcher, the launcher that started this process (an installed
    /// .NET tool has it in another folder than the program's), or the `dotnet` that runs this process.</summary>
    private static ProcessStartInfo Command(string name)
    {
        var launcher = Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? name + ".exe" : name);
        var host = Environment.ProcessPath;
        switch (Path.GetFileNameWithoutExtension(host))
        {
            case "dotnet":
                var start = new ProcessStartInfo(host!);
                start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, name + ".dll"));
                return start;
            case var own when own == name:
                return new ProcessStartInfo(host!);
            default:
                return new ProcessStartInfo(launcher);
        }
    }

    /// <summary>Removes the environment that a collector gives its target, which the target's children inherit. A child
    /// that obeyed it would connect to the collector's diagnostic port and stay suspended until the collector resumes
    /// it; and a pool setting meant for the target must not slow the child.</summary>
    private static void Isolate(IDictionary<string, string?> environment)
    {
        string[] prefixes = ["DOTNET_", "COMPlus_"];
        string[] settings = ["DiagnosticPorts", "DefaultDiagnosticPortSuspend", "EnableEventPipe", "EventPipe", "ThreadPool_", "PROCESSOR_COUNT"];
        var inherited = environment.Keys.Where(
            k => prefixes.Any(p => settings.Any(s => k.StartsWith(p + s, StringComparison.OrdinalIgnoreCase)))).ToList();
        foreach (var variable in inherited)
        {
            environment.Remove(variable);
        }

        // No diagnostic port, so that `ps` and `-n poolscope-workloads` find only the target.
        environment["DOTNET_EnableDiagnostics"] = "0";
    }
}
