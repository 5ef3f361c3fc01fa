using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Commands;

/// <summary>Prints the usual help and, below it, examples.</summary>
internal sealed class HelpWithExamples(HelpAction usual, IReadOnlyDictionary<Command, string[]> examples) : SynchronousCommandLineAction
{
    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        var configuration = parseResult.InvocationConfiguration;
        var output = configuration.Output;
        using var text = new StringWriter();
        configuration.Output = text;
        var code = usual.Invoke(parseResult);
        configuration.Output = output;

        // The library does not know that a child command comes last, after --, nor which command name was typed.
        output.Write(text.ToString()
            .Replace($"  {CommandName.Alone}", $"  {CommandName.Own}", StringComparison.Ordinal)
            .Replace("[<command>...] [options]", "[options] [-- <command>...]", StringComparison.Ordinal)
            .Replace("collect <command>", "collect          ", StringComparison.Ordinal));
        if (examples.TryGetValue(parseResult.CommandResult.Command, out var lines))
        {
            output.WriteLine("Examples:");
            foreach (var line in lines)
            {
                output.WriteLine("  " + line);
            }
        }

        return code;
    }
}
