using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Poolscope.Workloads.Commands;

/// <summary>The usual help, followed by examples of the command.</summary>
/// <param name="examples">Command lines by the command's name.</param>
internal sealed class HelpWithExamples(IReadOnlyDictionary<string, string[]> examples) : SynchronousCommandLineAction
{
    private readonly HelpAction _help = new();

    public override int Invoke(ParseResult parseResult)
    {
        var code = _help.Invoke(parseResult);
        if (examples.TryGetValue(parseResult.CommandResult.Command.Name, out var lines))
        {
            var output = parseResult.InvocationConfiguration.Output;
            output.WriteLine("Examples:");
            foreach (var line in lines)
            {
                output.WriteLine("  " + line);
            }
        }

        return code;
    }
}
