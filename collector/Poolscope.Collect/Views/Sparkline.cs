namespace Poolscope.Collect.Views;

/// <summary>A row of bars, one for each value, the latest at the right.</summary>
internal static class Sparkline
{
    private const string Blocks = "▁▂▃▄▅▆▇█";

    /// <summary>For terminals that have no other characters.</summary>
    private const string Plain = "_.-=+*%#";

    /// <param name="values">0 or more; null: not known, a blank.</param>
    /// <param name="width">Characters; of more values the latest are drawn.</param>
    /// <param name="unicode">Whether the terminal has block characters.</param>
    public static string Draw(IReadOnlyList<double?> values, int width, bool unicode)
    {
        var bars = unicode ? Blocks : Plain;
        var shown = values.Skip(Math.Max(0, values.Count - width)).ToList();
        var most = shown.Max() ?? 0;
        return string.Concat(shown.Select(value => value is not { } known ? ' ' : bars[Level(known, most, bars.Length)])).PadLeft(width);
    }

    /// <summary>0 alone is the lowest bar: a little is told from nothing.</summary>
    private static int Level(double value, double most, int levels) =>
        value <= 0 || most <= 0 ? 0 : Math.Clamp((int)Math.Ceiling(value / most * (levels - 1)), 1, levels - 1);
}
