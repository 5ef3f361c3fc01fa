using System.CommandLine;
using System.CommandLine.Help;

namespace Poolscope.Workloads.Commands;

/// <summary>One call of a command in this folder: data on <c>output</c>, one line per mistake on
/// <c>error</c>.</summary>
/// <param name="name">Name that the user typed.</param>
/// <param name="examples">Command lines for the end of each command's help, by the command's name.</param>
internal sealed class Invocation(string name, RootCommand root, IReadOnlyDictionary<string, string[]> examples)
{
    /// <returns>An <see cref="ExitCode"/>.</returns>
    public int Run(string[] args, TextWriter output, TextWriter error)
    {
        root.Options.OfType<HelpOption>().Single().Action = new HelpWithExamples(examples);
        var parsed = root.Parse(args);

        // "run --help" may lack the name of a workload.
        if (parsed.Errors.Count > 0 && parsed.Action is not HelpWithExamples)
        {
            return Fail(error, Mistake(parsed), ExitCode.Usage);
        }

        try
        {
            return parsed.Invoke(new InvocationConfiguration
            {
                Output = output,
                Error = error,
                EnableDefaultExceptionHandler = false,
            });
        }
        catch (CommandException e)
        {
            return Fail(error, e.Message, e.ExitCode);
        }
    }

    /// <summary>Returns the one mistake to report. The others often only follow from it, as "a command is missing"
    /// follows from a misspelt command.</summary>
    private string Mistake(ParseResult parsed)
    {
        if (parsed.UnmatchedTokens.Count > 0)
        {
            return $"'{parsed.UnmatchedTokens[0]}' means nothing here; `{name} --help` shows what does";
        }

        var message = parsed.Errors[0].Message.ReplaceLineEndings(" ");
        return $"{char.ToLowerInvariant(message[0])}{message[1..].TrimEnd('.')}; see `{name} --help`";
    }

    private int Fail(TextWriter error, string message, int code)
    {
        error.WriteLine($"{name}: {message}");
        return code;
    }
}
