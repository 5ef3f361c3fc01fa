using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolscope.Collect.Terminal;

/// <summary>Parses and formats sizes: 2GB, 500MiB, 64k. Units are powers of 1024 with and without the i, like
/// dotnet-trace's MB. The analysis reads the same forms (poolscope/base/typed.py); traces/command-line.json has the
/// tests of both.</summary>
public static partial class ByteSize
{
    public const long Megabyte = 1 << 20;

    private static readonly string[] Units = ["B", "KB", "MB", "GB", "TB"];

    /// <param name="bareBytes">The bytes of the unit of a number alone, or 0 if a number needs its unit.</param>
    /// <returns>Bytes, rounded down, or null if the text is no positive size that fits.</returns>
    public static long? Parse(string text, long bareBytes = 0)
    {
        var match = Form().Match(text.Trim(' ', '\t', '\r', '\n'));
        var isBare = match.Groups["k"].Length == 0 && match.Groups["b"].Length == 0;
        if (!match.Success || (isBare && bareBytes == 0))
        {
            return null;
        }

        var power = match.Groups["k"] is { Length: > 0 } prefix ? "kmgt".IndexOf(char.ToLowerInvariant(prefix.Value[0]), StringComparison.Ordinal) + 1 : 0;
        try
        {
            var number = decimal.Parse(match.Groups["n"].ValueSpan, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture);
            var bytes = (long)(number * (isBare ? bareBytes : 1L << (10 * power)));
            return bytes > 0 ? bytes : null;
        }
        catch (OverflowException)
        {
            return null;
        }
    }

    public static string Format(long bytes)
    {
        double value = bytes;
        var unit = 0;
        while (value >= 1024 && unit < Units.Length - 1)
        {
            value /= 1024;
            unit++;
        }

        return unit == 0 ? $"{bytes} B" : $"{value:0.0} {Units[unit]}";
    }

    [GeneratedRegex(@"^(?<n>[0-9]+(?:\.[0-9]*)?|\.[0-9]+) *(?:(?<k>[kmgtKMGT])[iI]?)?(?<b>[bB])?\z", RegexOptions.CultureInvariant)]
    private static partial Regex Form();
}
