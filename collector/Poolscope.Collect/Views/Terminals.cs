namespace Poolscope.Collect.Views;

/// <summary>The capabilities of the terminal behind stdout.</summary>
internal static class Terminals
{
    private static readonly string[] Locale = ["LC_ALL", "LC_CTYPE", "LANG"];

    /// <summary>Whether a view can be drawn: stdout is a terminal that can move its cursor.</summary>
    public static bool CanShow => !Console.IsOutputRedirected && Environment.GetEnvironmentVariable("TERM") is not ("dumb" or "" or null);

    public static bool Color => string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    /// <summary>Whether the locale is UTF-8. LC_ALL takes precedence over LC_CTYPE, and that over LANG.</summary>
    public static bool Unicode => IsUnicode(Environment.GetEnvironmentVariable);

    /// <summary>Returns the columns and rows, or 80 and 24 if the terminal does not report them.</summary>
    public static (int Width, int Height) Size()
    {
        try
        {
            var (width, height) = (Console.WindowWidth, Console.WindowHeight);
            return (width > 0 ? width : 80, height > 0 ? height : 24);
        }
        catch (Exception e) when (e is IOException or PlatformNotSupportedException)
        {
            return (80, 24);
        }
    }

    internal static bool IsUnicode(Func<string, string?> variable) =>
        Locale.Select(variable).FirstOrDefault(value => !string.IsNullOrEmpty(value)) is { } locale
        && locale.Replace("-", "", StringComparison.Ordinal).Contains("utf8", StringComparison.OrdinalIgnoreCase);
}
