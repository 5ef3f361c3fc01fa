using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Poolscope.Collect.Commands;

/// <summary>The usual help, and below it what to type.</summary>
internal sealed class HelpWithExamples(HelpAction usual, IReadOnlyDictionary<Command, string[]> examples) : SynchronousCommandLineAction
{
    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        var code = usual.Invoke(parseResult);
        if (examples.TryGetValue(parseResult.CommandResult.Command, out var lines))
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
