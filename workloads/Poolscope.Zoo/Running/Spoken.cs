using System.Globalization;

namespace Zoo.Running;

/// <summary>Numbers on a command line.</summary>
internal static class Spoken
{
    /// <summary>Reads a number with a decimal point.</summary>
    public static double Number(string word) => double.Parse(word, CultureInfo.InvariantCulture);

    /// <summary>Writes a number so that <see cref="Number"/> reads it.</summary>
    public static string Of(double number) => number.ToString(CultureInfo.InvariantCulture);
}
