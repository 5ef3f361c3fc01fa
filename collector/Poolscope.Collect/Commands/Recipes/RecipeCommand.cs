using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands.Recipes;

/// <summary>The options of <c>recipe</c>, for machines on which this tool may not be installed.</summary>
/// <param name="Tool">perfview, dotnet-trace or perf.</param>
/// <param name="ProcessId">The process to record, or null for every .NET process.</param>
/// <param name="Duration">The length of the recording.</param>
public sealed record RecipeOptions(string Tool, int? ProcessId, TimeSpan Duration)
{
    public static readonly TimeSpan DefaultDuration = TimeSpan.FromSeconds(30);
}

/// <summary>Prints a recipe: a text to send to the person who may run it.</summary>
public static class RecipeCommand
{
    public const string PerfView = "perfview";
    public const string DotnetTrace = "dotnet-trace";
    public const string Perf = "perf";

    /// <summary>The names of all tools, in the order of the help text.</summary>
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
