using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolscope.Collect.Commands;

/// <summary>--duration: a number with its unit (30s, 5m, 1.5h), seconds without one, or dotnet-trace's form dd:hh:mm:ss, the
/// leading parts optional.</summary>
public static partial class TraceDuration
{
    /// <returns>Null when the text is no positive duration.</returns>
    public static TimeSpan? Parse(string text)
    {
        var match = Form().Match(text);
        if (!match.Success)
        {
            return null;
        }

        decimal Part(string name) => match.Groups[name] is { Success: true } group
            ? decimal.Parse(group.ValueSpan, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture)
            : 0;

        try
        {
            var seconds = (((((Part("d") * 24) + Part("h")) * 60) + Part("m")) * 60) + Part("s");
            var unit = match.Groups["unit"].Value switch { "m" or "min" => 60, "h" => 3600, _ => 1 };
            var duration = TimeSpan.FromTicks((long)(seconds * unit * TimeSpan.TicksPerSecond));

            // Timers count milliseconds in 32 bits.
            return duration > TimeSpan.Zero && duration.TotalMilliseconds < uint.MaxValue - 1 ? duration : null;
        }
        catch (OverflowException)
        {
            return null;
        }
    }

    [GeneratedRegex(@"^(?:(?:(?:(?<d>\d{1,9}):)?(?<h>\d{1,9}):)?(?<m>\d{1,9}):)?(?<s>\d{1,9}(?:\.\d{1,7})?)s?$|^(?<s>\d{1,9}(?:\.\d{1,7})?)(?<unit>m|min|h)$", RegexOptions.CultureInvariant)]
    private static partial Regex Form();
}
