using System.Text.RegularExpressions;

namespace Poolscope.Collect.Terminal;

/// <summary>The command that the user typed: `poolscope-collect`, or `poolscope`, which hands its verbs of recording over to
/// this program. Texts of the source name `poolscope VERB`, because captures keep some of them, and who reads a capture has that
/// command; what is printed here is named after the command that was typed.</summary>
public static partial class CommandName
{
    /// <summary>Of this program started by itself, as on a server.</summary>
    public const string Alone = "poolscope-collect";

    /// <summary>Of the command that has every verb.</summary>
    public const string Whole = "poolscope";

    private const string Variable = "POOLSCOPE_CALLER";

    /// <summary>`poolscope`, or the verb of it that runs this program and says itself what comes next; null: neither.</summary>
    public static string? Caller { get; } = Take();

    public static string Own { get; } = Caller is null ? Alone : Whole;

    /// <summary>Whether this program says what to run next.</summary>
    public static bool SaysNext => Caller is null or Whole;

    /// <summary>Names this program's verbs in a text as the user has to type them.</summary>
    public static string InOwnWords(string text) => Caller is null ? NamedAlone(text) : text;

    internal static string NamedAlone(string text) => OwnVerb().Replace(text, Alone + " ");

    /// <summary>Takes the variable away too: the programs that are started from here are not called by `poolscope`.</summary>
    private static string? Take()
    {
        var caller = Environment.GetEnvironmentVariable(Variable);
        Environment.SetEnvironmentVariable(Variable, null);
        return string.IsNullOrEmpty(caller) ? null : caller;
    }

    [GeneratedRegex(@"(?<![\w./-])poolscope (?=(?:collect|decode|doctor|look|ps|recipe|top|watch|\.\.\.)(?![\w-]))", RegexOptions.CultureInvariant)]
    private static partial Regex OwnVerb();
}
