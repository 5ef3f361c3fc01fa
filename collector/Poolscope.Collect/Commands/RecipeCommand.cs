using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>What to record with another tool, where this one may not be installed.</summary>
/// <param name="Tool">perfview.</param>
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

    public static Task<int> RunAsync(RecipeOptions options, ICommandConsole console)
    {
        console.Out.Write(PerfViewRecipe.Text(options.ProcessId, options.Duration));
        return Task.FromResult(ExitCode.Ok);
    }
}
