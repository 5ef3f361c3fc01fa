using System.CommandLine;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>Turns arguments into an exit code. Every mistake ends as one line on stderr.</summary>
public static class CommandRunner
{
    /// <summary>The verbs of `poolscope` that read captures. `record` reads only the capture that it makes.</summary>
    private static readonly string[] ReadingVerbs = ["report", "attribute", "whatif", "compare", "fleet", "check", "export", "verify"];

    public static async Task<int> RunAsync(IReadOnlyList<string> arguments, ICommandConsole console, VerbActions actions)
    {
        var root = CommandTree.Build(actions);

        // Response files are turned off, because an argument of the target program may begin with @.
        var parsed = root.Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        var answersAnyway = parsed.Action is { ClearsParseErrors: true }; // help, the version, completion
        if (!answersAnyway && UsageErrors.Of(parsed) is { } complaint)
        {
            if (parsed.CommandResult.Command is RootCommand)
            {
                var verbs = string.Join(", ", root.Subcommands.Select(command => command.Name));
                console.Fail(parsed.UnmatchedTokens is [var word, ..]
                    ? OfOtherCommand(word) ?? $"there is no {(word.StartsWith('-') ? "option" : "verb")} {word}; the verbs are {verbs} (see {CommandName.Own} --help)"
                    : $"say what to do: {verbs} (see {CommandName.Own} --help)");
                return ExitCode.Usage;
            }

            console.Fail($"{complaint} (see {CommandName.Own} {parsed.CommandResult.Command.Name} --help)");
            return ExitCode.Usage;
        }

        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration
            {
                Output = console.Out,
                Error = console.Error,
                EnableDefaultExceptionHandler = false,

                // The verbs handle signals themselves.
                ProcessTerminationTimeout = null,
            }).ConfigureAwait(false);
        }
        catch (CommandException e)
        {
            console.Fail(e.Message);
            return e.ExitCode;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            console.Fail(e.Message);
            return ExitCode.Unreadable;
        }
        catch (Exception e)
        {
            console.Fail($"internal error, please report it: {e}");
            return ExitCode.Internal;
        }
    }

    /// <summary>Returns advice for a verb that this program lacks when it runs without `poolscope`, as on a server;
    /// null for other words.</summary>
    private static string? OfOtherCommand(string word) => word == "record"
        ? $"record also analyses, which needs the command poolscope; here, collect records: {CommandName.Own} collect (see {CommandName.Own} collect --help)"
        : ReadingVerbs.Contains(word)
            ? $"{word} reads captures, which needs the command poolscope: copy the capture to a machine with poolscope, and run there: poolscope {word} CAPTURE"
            : null;
}
