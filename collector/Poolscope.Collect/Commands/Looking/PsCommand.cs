using System.Text.Json;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands.Looking;

public sealed record PsOptions(bool Json);

/// <summary>Lists the .NET processes that can be recorded.</summary>
public static class PsCommand
{
    internal static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static async Task<int> RunAsync(PsOptions options, ICommandConsole console)
    {
        var processes = OperatingSystem.IsWindows()
            ? await PublishedProcesses.ListAsync().ConfigureAwait(false)
            : await new ProcessCatalog(ProcFs.System).ListAsync().ConfigureAwait(false);
        Write(processes, options, console);
        return ExitCode.Ok;
    }

    internal static void Write(IReadOnlyList<DotnetProcess> processes, PsOptions options, ICommandConsole console)
    {
        if (options.Json)
        {
            console.Out.WriteLine(JsonSerializer.Serialize(processes, Json));
            return;
        }

        if (processes.Count == 0)
        {
            console.Error.WriteLine("No .NET process of this user is running.");
            return;
        }

        var name = processes.Max(process => process.Name.Length);
        var runtime = processes.Max(process => (process.Runtime ?? "?").Length);
        foreach (var process in processes)
        {
            console.Out.WriteLine($"{process.Pid,8}  {process.Name.PadRight(name)}  {(process.Runtime ?? "?").PadRight(runtime)}  {process.Command}");
        }
    }
}
