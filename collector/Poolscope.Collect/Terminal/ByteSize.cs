using System.Globalization;

namespace Poolscope.Collect.Terminal;

/// <summary>Sizes as people type and read them: 2GB, 500MB, 64k. Powers of 1024, as dotnet-trace's MB are.</summary>
public static class ByteSize
{
    private static readonly string[] Units = ["B", "KB", "MB", "GB", "TB"];

    /// <returns>Bytes; null when the text is no positive size that fits.</returns>
    public static long? Parse(string text)
    {
        var digits = text.TrimEnd();
        var power = 0;
        if (digits.EndsWith("b", StringComparison.OrdinalIgnoreCase))
        {
            digits = digits[..^1];
        }

        if (digits.Length > 0 && "kmgt".IndexOf(char.ToLowerInvariant(digits[^1]), StringComparison.Ordinal) is var unit and >= 0)
        {
            power = unit + 1;
            digits = digits[..^1];
        }

        if (!decimal.TryParse(digits.Trim(), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number) || number <= 0)
        {
            return null;
        }

        try
        {
            var bytes = (long)(number * (1L << (10 * power)));
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
}
