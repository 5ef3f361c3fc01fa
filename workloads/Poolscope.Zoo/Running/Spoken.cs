using System.Globalization;

namespace Zoo.Running;

/// <summary>Numbers on a command line.</summary>
internal static class Spoken
{
    /// <summary>Parses a number with a decimal point.</summary>
    public static double Number(string word) => double.Parse(word, CultureInfo.InvariantCulture);

    /// <summary>Formats a number so that <see cref="Number"/> parses it.</summary>
    public static string Of(double number) => number.ToString(CultureInfo.InvariantCulture);
}
