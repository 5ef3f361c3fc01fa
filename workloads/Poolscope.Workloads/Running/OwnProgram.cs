using System.Diagnostics;

namespace Poolscope.Workloads.Running;

/// <summary>This program once more, or another one beside it, in a process of its own, so that its threads and its pool
/// are none of the target's. It ends when this object is disposed, and also when this process ends in any way: it watches
/// its standard input, whose other end is here.</summary>
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

    /// <summary>What it printed when it was ready.</summary>
    public string FirstLine { get; }

    public int ProcessId => _process.Id;

    /// <summary>Starts it and waits for its first line.</summary>
    /// <param name="name">What it is, for the message.</param>
    /// <param name="arguments">A hidden verb with its options; the verb prints a line when it is ready and ends at the
    /// end of its standard input.</param>
    /// <exception cref="WorkloadFailedException">It did not start, or ended without a line.</exception>
    public static OwnProgram Start(string name, params string[] arguments) => StartProgram(Workloads, name, arguments);

    /// <summary>As <see cref="Start"/>, for another program of this folder.</summary>
    /// <param name="program">Its file name without an ending.</param>
    /// <exception cref="WorkloadFailedException">It did not start, or ended without a line.</exception>
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

    /// <summary>The child's side: returns when the parent is gone or has disposed its object.</summary>
    public static void WaitForParent()
    {
        while (Console.In.Read() >= 0)
        {
            // Whatever comes, only the end matters: it is the end of the parent.
        }
    }

    /// <summary>Blocks the calling thread until the child has closed its output.</summary>
    /// <returns>What it printed after <see cref="FirstLine"/>.</returns>
    public string ReadToEnd() => _process.StandardOutput.ReadToEnd();

    /// <summary>Asks it to end, and returns at once. Any thread may call it, also while another one reads or after the end.</summary>
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

    /// <summary>By its own launcher, by the one that started us (an installed .NET tool has it in another folder than the
    /// program's), or by the `dotnet` that runs us.</summary>
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

    /// <summary>The environment that a collector gives its target is inherited by the target's children. A child that
    /// obeyed it would connect to the collector's diagnostic port, and stay suspended until somebody resumes it; and a
    /// pool setting meant for the target must not slow the child.</summary>
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

        // No diagnostic port: `ps` and `-n poolscope-workloads` then find the target alone.
        environment["DOTNET_EnableDiagnostics"] = "0";
    }
}
