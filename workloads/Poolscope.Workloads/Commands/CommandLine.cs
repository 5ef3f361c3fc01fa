using System.CommandLine;
using System.CommandLine.Help;

namespace Poolscope.Workloads.Commands;

/// <summary>The `poolscope-workloads` command: data on <c>output</c>, one line per mistake on <c>error</c>.</summary>
public static class CommandLine
{
    private const string Name = "poolscope-workloads";

    private static readonly string[] Examples =
    [
        "poolscope-workloads list",
        "poolscope-workloads run ticket",
        "poolscope-workloads run ticket --client async -v",
        "poolscope-workloads run trickle-v1 --min-threads 10 --json",
        "poolscope-collect collect -o capture -- poolscope-workloads run ticket",
    ];

    /// <returns>An <see cref="ExitCode"/>.</returns>
    public static int Run(string[] args, TextWriter output, TextWriter error)
    {
        var root = new RootCommand("Runs the experiments that Poolscope reproduces, and records when each item was queued, started and ended.")
        {
            ListCommand.Create(),
            RunCommand.Create(),
            ServeCommand.Create(),
            HoldCoresCommand.Create(),
        };
        root.Options.OfType<HelpOption>().Single().Action = new HelpWithExamples(
            new Dictionary<string, string[]>
            {
                [root.Name] = Examples,
                [RunCommand.Name] = RunCommand.Examples,
                [ListCommand.Name] = ListCommand.Examples,
            });

        var parsed = root.Parse(args);
        // "run --help" lacks the name of a workload, and may.
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

    /// <summary>The one mistake to name: the others often only follow from it, as "a command is missing" follows from
    /// a command misspelt.</summary>
    private static string Mistake(ParseResult parsed)
    {
        if (parsed.UnmatchedTokens.Count > 0)
        {
            return $"'{parsed.UnmatchedTokens[0]}' means nothing here; `{Name} --help` shows what does";
        }

        var message = parsed.Errors[0].Message.ReplaceLineEndings(" ");
        return $"{char.ToLowerInvariant(message[0])}{message[1..].TrimEnd('.')}; see `{Name} --help`";
    }

    private static int Fail(TextWriter error, string message, int code)
    {
        error.WriteLine($"{Name}: {message}");
        return code;
    }
}
