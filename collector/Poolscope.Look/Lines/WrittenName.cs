using System.Text.RegularExpressions;

namespace Poolscope.Look.Lines;

/// <summary>Converts method names to the form that their authors wrote, by the rules of
/// <c>poolscope.naming.written</c>.</summary>
public static partial class WrittenName
{
    private const string Lambda = " (lambda)";

    /// <returns>The name without the compiler's marks: <c>Shop+&lt;Get&gt;d__3.MoveNext</c> is <c>Shop.Get</c>,
    /// <c>Shop+&lt;&gt;c.&lt;Run&gt;b__1</c> is <c>Shop.Run (lambda)</c>.</returns>
    public static string Of(string method)
    {
        var name = Main().Replace(method, "Main");
        name = StateMachine().Replace(name, match => "." + match.Groups[1].Value);
        name = Closure().Replace(name, "");
        var suffix = "";
        name = Compiled().Replace(name, match =>
        {
            suffix = match.Groups["kind"].Value == "b" ? Lambda : "";
            return match.Groups["kind"].Value == "b" ? match.Groups["method"].Value : $"{match.Groups["method"].Value}.{match.Groups["local"].Value}";
        });
        if (name.EndsWith("..cctor", StringComparison.Ordinal))
        {
            (name, suffix) = (name[..^7], " (static constructor)");
        }
        else if (name.EndsWith("..ctor", StringComparison.Ordinal))
        {
            (name, suffix) = (name[..^6], " (constructor)");
        }

        return name.Replace('+', '.') + suffix;
    }

    [GeneratedRegex(@"<Main>\$")]
    private static partial Regex Main();

    [GeneratedRegex(@"[.+]<((?:[^<>]|<[^<>]*>)+(?:[gb]__[^<>]*)?)>d(?:__[\d_]+)?(?:`\d+)?(?:<[^<>]*>)?\.MoveNext$")]
    private static partial Regex StateMachine();

    [GeneratedRegex(@"\+<>c(?:__DisplayClass[\d_]+)?(?:`\d+)?(?:<[^<>]*>)?(?=\.)")]
    private static partial Regex Closure();

    [GeneratedRegex(@"<(?<method>[^<>]+)>(?<kind>[gb])__(?<local>[^|]*?)(?:\|?[\d_]+)?$")]
    private static partial Regex Compiled();
}
