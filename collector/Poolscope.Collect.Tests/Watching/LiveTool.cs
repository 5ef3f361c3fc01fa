using System.Diagnostics;
using System.Globalization;

namespace Poolscope.Collect.Tests.Watching;

/// <summary>Starts the command and its targets, and ends those that still run.</summary>
internal sealed class LiveTool : IDisposable
{
    private static readonly string Tool = Path.Combine(AppContext.BaseDirectory, "poolscope-collect.dll");
    private static readonly string Target = AppContext.BaseDirectory.TrimEnd('/')
        .Replace("Poolscope.Collect.Tests", "Poolscope.Collect.Tests.Target", StringComparison.Ordinal) + "/Poolscope.Collect.Tests.Target";

    private readonly List<Process> _started = [];

    public string Folder { get; } = Directory.CreateTempSubdirectory("poolscope-live-").FullName;

    public static string Id(Process process) => process.Id.ToString(CultureInfo.InvariantCulture);

    /// <summary>Starts a target and waits until it is ready.</summary>
    /// <param name="name">Name that `ps` shows.</param>
    public async Task<Process> TargetAsync(string verb, int milliseconds, string name = "Poolscope.Collect.Tests.Target")
    {
        var program = Path.Combine(Folder, name + ".dll");
        File.Copy(Target + ".dll", program, overwrite: true);
        File.Copy(Target + ".runtimeconfig.json", Path.ChangeExtension(program, ".runtimeconfig.json"), overwrite: true);
        var target = Start(program, verb, milliseconds.ToString(CultureInfo.InvariantCulture));
        if (await target.StandardOutput.ReadLineAsync() != "ready")
        {
            throw new InvalidOperationException("the target did not start");
        }

        return target;
    }

    public Process Run(params string[] arguments) => Start([Tool, .. arguments]);

    /// <returns>The output on stdout until the process ends.</returns>
    public static async Task<string> FinishAsync(Process process)
    {
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(90));
        var errors = process.StandardError.ReadToEndAsync(timeout.Token);
        var output = await process.StandardOutput.ReadToEndAsync(timeout.Token);
        await process.WaitForExitAsync(timeout.Token);
        _ = await errors;
        return output;
    }

    public void Dispose()
    {
        foreach (var process in _started)
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }

            process.Dispose();
        }

        Directory.Delete(Folder, recursive: true);
    }

    private Process Start(params string[] arguments)
    {
        var process = Process.Start(new ProcessStartInfo("dotnet", arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
        })!;
        _started.Add(process);
        return process;
    }
}
