using System.Diagnostics;
using System.Globalization;

namespace Poolscope.Workloads.SlowService;

/// <summary>The slow server in a process of its own, so that its threads and its pool are none of the target's. It
/// ends when this object is disposed, and also when this process ends in any way: it watches its standard input,
/// whose other end is here.</summary>
public sealed class SlowServerProcess : IDisposable
{
    /// <summary>The hidden verb that starts the server.</summary>
    public const string Verb = "serve";

    private static readonly TimeSpan TimeToEnd = TimeSpan.FromSeconds(2);

    private readonly Process _process;

    private SlowServerProcess(Process process, int port)
    {
        _process = process;
        Port = port;
    }

    /// <summary>The loopback port that it listens on.</summary>
    public int Port { get; }

    public int ProcessId => _process.Id;

    /// <exception cref="InvalidOperationException">The server did not start.</exception>
    public static SlowServerProcess Start(TimeSpan delay)
    {
        var start = Command();
        start.ArgumentList.Add(Verb);
        start.ArgumentList.Add("--work-ms");
        start.ArgumentList.Add(delay.TotalMilliseconds.ToString(CultureInfo.InvariantCulture));
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        Isolate(start.Environment);

        var process = Process.Start(start) ?? throw new InvalidOperationException("the slow service did not start");
        if (int.TryParse(process.StandardOutput.ReadLine(), NumberStyles.None, CultureInfo.InvariantCulture, out var port))
        {
            return new SlowServerProcess(process, port);
        }

        process.Kill();
        process.Dispose();
        throw new InvalidOperationException("the slow service started, but named no port");
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(TimeToEnd))
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    /// <summary>This program again, by its own launcher or by the `dotnet` that runs us.</summary>
    private static ProcessStartInfo Command()
    {
        const string name = "poolscope-workloads";
        var launcher = Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? name + ".exe" : name);
        var host = Environment.ProcessPath;
        if (host is not null && Path.GetFileNameWithoutExtension(host) == "dotnet")
        {
            var start = new ProcessStartInfo(host);
            start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, name + ".dll"));
            return start;
        }

        return new ProcessStartInfo(launcher);
    }

    /// <summary>The environment that a collector gives its target is inherited by the target's children. A child that
    /// obeyed it would connect to the collector's diagnostic port, and stay suspended until somebody resumes it; and a
    /// pool setting meant for the target must not slow the service.</summary>
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
