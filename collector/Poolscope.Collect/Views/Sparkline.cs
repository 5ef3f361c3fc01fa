namespace Poolscope.Collect.Views;

/// <summary>Draws a row of bars, one for each value, the latest at the right.</summary>
internal static class Sparkline
{
    private const string Blocks = "▁▂▃▄▅▆▇█";

    /// <summary>The bars for terminals without block characters.</summary>
    private const string Plain = "_.-=+*%#";

    /// <param name="values">Values of 0 or more; null is unknown and drawn as a blank.</param>
    /// <param name="width">The number of characters. Only the latest values are drawn if there are more.</param>
    /// <param name="unicode">Whether the terminal has block characters.</param>
    public static string Draw(IReadOnlyList<double?> values, int width, bool unicode)
    {
        var bars = unicode ? Blocks : Plain;
        var shown = values.Skip(Math.Max(0, values.Count - width)).ToList();
        var most = shown.Max() ?? 0;
        return string.Concat(shown.Select(value => value is not { } known ? ' ' : bars[Level(known, most, bars.Length)])).PadLeft(width);
    }

    /// <summary>Returns the level of a bar. Only 0 has the lowest one, so a small value differs from none.</summary>
    private static int Level(double value, double most, int levels) =>
        value <= 0 || most <= 0 ? 0 : Math.Clamp((int)Math.Ceiling(value / most * (levels - 1)), 1, levels - 1);
}
