using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text.RegularExpressions;

namespace Poolscope.Collect.Commands;

/// <summary>Describes the errors of a verb's command line in the wording of `poolscope`.</summary>
internal static partial class UsageErrors
{
    /// <summary>The most letters by which a mistyped name differs from the right one.</summary>
    private const int MostSlips = 2;

    /// <returns>The error, or null if there is none.</returns>
    public static string? Of(ParseResult parsed)
    {
        if (UnknownOption(parsed) is { } option)
        {
            return $"there is no option {option}{Near(parsed.CommandResult.Command, option)}";
        }

        if (parsed.UnmatchedTokens is [var extra, ..])
        {
            return $"got unexpected extra argument ({extra})";
        }

        // The library lists choices one per line and begins with a capital.
        return parsed.Errors is [var error, ..] && Gaps().Replace(error.Message, " ").Trim().TrimEnd('.') is { Length: > 0 } message
            ? char.ToLowerInvariant(message[0]) + message[1..]
            : null;
    }

    /// <summary>Returns an option that the verb does not have, or null. The parser leaves such an option over, or takes
    /// it for an argument, such as the name of a file. The words after the first one of a launched command are not
    /// checked, because they belong to that command.</summary>
    private static string? UnknownOption(ParseResult parsed) => parsed.Tokens.Any(token => token.Type == TokenType.DoubleDash)
        ? null
        : parsed.CommandResult.Children.OfType<ArgumentResult>().SelectMany(argument => argument.Tokens.Take(1)).Select(token => token.Value)
            .Concat(parsed.UnmatchedTokens).FirstOrDefault(word => word.Length > 1 && word[0] == '-');

    private static string Near(Command verb, string word)
    {
        var name = verb.Options.Where(option => !option.Hidden).Select(option => option.Name).Append("--help")
            .MinBy(name => Slips(name, word.Split('=')[0]));
        return name is not null && word.StartsWith("--", StringComparison.Ordinal) && Slips(name, word.Split('=')[0]) <= MostSlips ? $"; did you mean {name}?" : "";
    }

    /// <summary>Returns the number of letters to change, add or remove from one word to the other
    /// (Levenshtein).</summary>
    private static int Slips(string one, string other)
    {
        var row = Enumerable.Range(0, other.Length + 1).ToArray();
        for (var i = 1; i <= one.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= other.Length; j++)
            {
                var above = row[j];
                row[j] = Math.Min(Math.Min(above, row[j - 1]) + 1, diagonal + (one[i - 1] == other[j - 1] ? 0 : 1));
                diagonal = above;
            }
        }

        return row[^1];
    }

    [GeneratedRegex(@"\s+")]
    private static partial Regex Gaps();
}
