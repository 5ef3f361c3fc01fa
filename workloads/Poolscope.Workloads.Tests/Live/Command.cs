using System.Diagnostics;
using System.Text.Json;
using Poolscope.Workloads.Truth;
using Xunit;

namespace Poolscope.Workloads.Tests.Live;

/// <summary>Runs the real command in a process of its own, because pool limits belong to a process.</summary>
internal static class Command
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static Result Run(IReadOnlyDictionary<string, string>? environment, params string[] arguments)
    {
        using var process = Start(environment, arguments);
        var error = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEndAsync();
        if (!process.WaitForExit(Patience))
        {
            process.Kill();
            Assert.Fail($"still running after {Patience}: {string.Join(' ', arguments)}");
        }

        return new Result(process.ExitCode, output.Result, error.Result);
    }

    public static Process Start(IReadOnlyDictionary<string, string>? environment, params string[] arguments)
    {
        var name = OperatingSystem.IsWindows() ? "poolscope-workloads.exe" : "poolscope-workloads";
        var start = new ProcessStartInfo(Path.Combine(AppContext.BaseDirectory, name), arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove(TruthFile.CaptureVariable);
        foreach (var (variable, value) in environment ?? new Dictionary<string, string>())
        {
            start.Environment[variable] = value;
        }

        return Process.Start(start) ?? throw new InvalidOperationException(name);
    }

    internal sealed record Result(int Code, string Output, string Error)
    {
        /// <summary>The summary that --json printed.</summary>
        public JsonElement Summary => JsonDocument.Parse(Output).RootElement;
    }
}
