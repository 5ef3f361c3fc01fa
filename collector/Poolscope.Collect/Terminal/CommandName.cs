using System.Text.RegularExpressions;

namespace Poolscope.Collect.Terminal;

/// <summary>The command that the user typed: `poolscope-collect`, or `poolscope`, which passes its verbs of recording
/// on to this program. Texts in the source say `poolscope VERB`, because captures keep some of them, and the reader of
/// a capture has that command. Texts printed here name the command that was typed.</summary>
public static partial class CommandName
{
    /// <summary>The name of this program when it is started by itself, as on a server.</summary>
    public const string Alone = "poolscope-collect";

    /// <summary>The name of the command that has every verb.</summary>
    public const string Whole = "poolscope";

    private const string Variable = "POOLSCOPE_CALLER";

    /// <summary>The caller: `poolscope`, or a verb of it that runs this program and itself names the next step; null if
    /// there is neither.</summary>
    public static string? Caller { get; } = Take();

    public static string Own { get; } = Caller is null ? Alone : Whole;

    /// <summary>Whether this program names the next command to run.</summary>
    public static bool SaysNext => Caller is null or Whole;

    /// <summary>Writes this program's verbs in a text in the form that the user must type.</summary>
    public static string InOwnWords(string text) => Caller is null ? NamedAlone(text) : text;

    internal static string NamedAlone(string text) => OwnVerb().Replace(text, Alone + " ");

    /// <summary>Returns the caller and removes the variable: it is not for programs started from here.</summary>
    private static string? Take()
    {
        var caller = Environment.GetEnvironmentVariable(Variable);
        Environment.SetEnvironmentVariable(Variable, null);
        return string.IsNullOrEmpty(caller) ? null : caller;
    }

    [GeneratedRegex(@"(?<![\w./-])poolscope (?=(?:collect|decode|doctor|look|ps|recipe|top|watch|\.\.\.)(?![\w-]))", RegexOptions.CultureInvariant)]
    private static partial Regex OwnVerb();
}
