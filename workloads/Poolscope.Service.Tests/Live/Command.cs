using System.Diagnostics;
using System.Text.Json;
using Xunit;

namespace Poolscope.Service.Tests.Live;

/// <summary>Runs the real command in a process of its own.</summary>
internal static class Command
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);

    public static Result Run(params string[] arguments)
    {
        using var process = Start(arguments);
        var error = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEndAsync();
        if (!process.WaitForExit(Patience))
        {
            process.Kill();
            Assert.Fail($"still running after {Patience}: {string.Join(' ', arguments)}");
        }

        return new Result(process.ExitCode, output.Result, error.Result);
    }

    public static Process Start(params string[] arguments)
    {
        var name = OperatingSystem.IsWindows() ? "poolscope-service.exe" : "poolscope-service";
        var start = new ProcessStartInfo(Path.Combine(AppContext.BaseDirectory, name), arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove("POOLSCOPE_CAPTURE");
        return Process.Start(start) ?? throw new InvalidOperationException(name);
    }

    internal sealed record Result(int Code, string Output, string Error)
    {
        /// <summary>The report that --json printed.</summary>
        public JsonElement Report => JsonDocument.Parse(Output).RootElement;

        public JsonElement Load => Report.GetProperty("load");

        public double Latency(string figure) => Load.GetProperty("latency_ms").GetProperty(figure).GetDouble();
    }
}
