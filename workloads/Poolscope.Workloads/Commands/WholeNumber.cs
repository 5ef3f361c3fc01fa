using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Poolscope.Workloads.Commands;

/// <summary>Options that take a whole number within limits. The message for any other value names the limits.</summary>
internal static class WholeNumber
{
    public static Option<int?> Option(string name, int least, int most, string description) => new(name)
    {
        Description = description,
        HelpName = "n",
        CustomParser = result => Parse(result, name, least, most),
    };

    private static int? Parse(ArgumentResult result, string name, int least, int most)
    {
        var text = result.Tokens[^1].Value;
        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            && number >= least && number <= most)
        {
            return number;
        }

        result.AddError($"{name} takes a whole number from {least} to {most}, not '{text}'");
        return null;
    }
}
