using System.CommandLine;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>From arguments to an exit code: every mistake ends as one line on stderr.</summary>
public static class CommandRunner
{
    public static async Task<int> RunAsync(IReadOnlyList<string> arguments, ICommandConsole console, VerbActions actions)
    {
        var root = CommandTree.Build(actions);

        // Response files are not our feature: a program's argument may begin with @.
        var parsed = root.Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        var asksForHelp = parsed.Action is HelpWithExamples;
        if (parsed.Errors.Count > 0 && !asksForHelp)
        {
            if (parsed.CommandResult.Command is RootCommand)
            {
                var verbs = string.Join(", ", root.Subcommands.Select(command => command.Name));
                console.Fail(parsed.UnmatchedTokens is [var word, ..]
                    ? $"there is no {(word.StartsWith('-') ? "option" : "verb")} {word}; the verbs are {verbs} (see poolscope-collect --help)"
                    : $"say what to do: {verbs} (see poolscope-collect --help)");
                return ExitCode.Usage;
            }

            console.Fail($"{parsed.Errors[0].Message.TrimEnd('.')} (see poolscope-collect {parsed.CommandResult.Command.Name} --help)");
            return ExitCode.Usage;
        }

        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration
            {
                Output = console.Out,
                Error = console.Error,
                EnableDefaultExceptionHandler = false,

                // Signals are the verbs' own matter.
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
}
