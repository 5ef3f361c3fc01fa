using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands.Recipes;

/// <summary>What to record with another tool, where this one may not be installed.</summary>
/// <param name="Tool">perfview, dotnet-trace or perf.</param>
/// <param name="ProcessId">Null: every .NET process.</param>
/// <param name="Duration">How long to record.</param>
public sealed record RecipeOptions(string Tool, int? ProcessId, TimeSpan Duration)
{
    public static readonly TimeSpan DefaultDuration = TimeSpan.FromSeconds(30);
}

/// <summary>Prints a recipe: a text to send to whoever may run it.</summary>
public static class RecipeCommand
{
    public const string PerfView = "perfview";
    public const string DotnetTrace = "dotnet-trace";
    public const string Perf = "perf";

    /// <summary>All of them, in order of a help text.</summary>
    public static IReadOnlyList<string> Tools { get; } = [DotnetTrace, Perf, PerfView];

    public static Task<int> RunAsync(RecipeOptions options, ICommandConsole console)
    {
        console.Out.Write(CommandName.InOwnWords(options.Tool switch
        {
            DotnetTrace => DotnetTraceRecipe.Text(options.ProcessId, options.Duration),
            Perf => PerfRecipe.Text(options.ProcessId, options.Duration),
            _ => PerfViewRecipe.Text(options.ProcessId, options.Duration),
        }));
        return Task.FromResult(ExitCode.Ok);
    }
}
