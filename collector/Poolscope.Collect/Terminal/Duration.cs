using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolscope.Collect.Terminal;

/// <summary>Parses durations: parts with units that get smaller (500ms, 30s, 1h30m), dotnet-trace's [[dd:]hh:]mm:ss, or
/// a number alone if an option has a unit for it. The analysis reads the same forms (poolscope/base/typed.py);
/// traces/command-line.json has the tests of both.</summary>
public static partial class Duration
{
    public const long Millisecond = 1_000_000;
    public const long Second = 1000 * Millisecond;
    private const long Minute = 60 * Second;
    private const long Hour = 60 * Minute;

    private static readonly string[] ClockParts = ["d", "h", "m", "s"];

    /// <summary>The limits that days, hours, minutes and seconds stay below, unless they come first.</summary>
    private static readonly int[] ClockLimits = [int.MaxValue, 24, 60, 60];

    /// <param name="bareNs">The unit of a number alone, in ns, or 0 if a number needs its unit.</param>
    /// <returns>ns, rounded down, or null if the text is no duration, or one of more than 292 years.</returns>
    public static long? Parse(string text, long bareNs = 0)
    {
        var said = text.Trim(' ', '\t', '\r', '\n');
        try
        {
            return bareNs > 0 && Bare().IsMatch(said) ? (long)(Number(said) * bareNs)
                : Clock().Match(said) is { Success: true } clock ? OfClock(clock)
                : OfParts(said);
        }
        catch (OverflowException)
        {
            return null;
        }
    }

    /// <summary>Parses a duration into ticks of 100 ns, for timers.</summary>
    public static TimeSpan? ParseSpan(string text, long bareNs = 0) =>
        Parse(text, bareNs) is { } ns ? TimeSpan.FromTicks(ns / TimeSpan.NanosecondsPerTick) : null;

    private static long? OfParts(string said)
    {
        decimal total = 0;
        var (smaller, at) = (long.MaxValue, 0);
        while (at < said.Length)
        {
            var part = Part().Match(said, at);
            if (!part.Success || Unit(part.Groups["u"].Value) is var unit && unit >= smaller)
            {
                return null;
            }

            (smaller, at) = (unit, at + part.Length);
            if (part.Groups["n"].ValueSpan.Contains('.') && at < said.Length)
            {
                return null;
            }

            total += Number(part.Groups["n"].Value) * unit;
        }

        return at > 0 ? (long)total : null;
    }

    private static long? OfClock(Match clock)
    {
        decimal seconds = 0;
        var first = true;
        for (var i = 0; i < ClockParts.Length; i++)
        {
            if (clock.Groups[ClockParts[i]] is not { Success: true } group)
            {
                continue;
            }

            var part = Number(group.Value);
            if (!first && part >= ClockLimits[i])
            {
                return null;
            }

            seconds = (seconds * (i > 1 ? 60 : 24)) + part;
            first = false;
        }

        return (long)(seconds * Second);
    }

    private static decimal Number(string text) => decimal.Parse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture);

    private static long Unit(string name) => name switch
    {
        "h" => Hour,
        "m" or "min" => Minute,
        "s" => Second,
        "ms" => Millisecond,
        "ns" => 1,
        _ => 1000, // us, with either letter
    };

    [GeneratedRegex(@"^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\z", RegexOptions.CultureInvariant)]
    private static partial Regex Bare();

    [GeneratedRegex(@"\G(?<n>[0-9]+(?:\.[0-9]*)?|\.[0-9]+) *(?<u>min|ms|us|\u00b5s|\u03bcs|ns|h|m|s) *", RegexOptions.CultureInvariant)]
    private static partial Regex Part();

    [GeneratedRegex(@"^(?:(?:(?<d>[0-9]{1,9}):)?(?<h>[0-9]{1,9}):)?(?<m>[0-9]{1,9}):(?<s>[0-9]{1,9}(?:\.[0-9]+)?)\z", RegexOptions.CultureInvariant)]
    private static partial Regex Clock();
}
