using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Poolscope.Fuzz.Corpus;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz.Guided;

/// <summary>The words that a fuzzer without knowledge of a format would hardly guess: names, keys and kinds from the
/// sound files, in the form of AFL's dictionaries.</summary>
internal static partial class Words
{
    private const int Most = 200;

    private static readonly string[] Odd = ["-1", "0", "9223372036854775807", "-9223372036854775808", "1e999", "NaN", "null", "true", "{}", "[]", "\\u0000"];

    /// <summary>Returns the lines of a format's dictionary. The words that most seeds have come first.</summary>
    public static IEnumerable<string> Of(FileFormat format, IReadOnlyList<Seed> seeds)
    {
        var found = seeds.SelectMany(seed => In(format, seed.File).Distinct(StringComparer.Ordinal))
            .GroupBy(word => word, StringComparer.Ordinal)
            .OrderByDescending(same => same.Count()).ThenBy(same => same.Key, StringComparer.Ordinal)
            .Select(same => same.Key);
        return (format.IsText ? Odd.Concat(found).Distinct(StringComparer.Ordinal) : found).Take(Most)
            .Select((word, i) => $"word_{i}=\"{Escaped(word)}\"");
    }

    private static IEnumerable<string> In(FileFormat format, byte[] file)
    {
        var characters = Encoding.Latin1.GetString(file);
        var narrow = Narrow().Matches(characters);
        return (format.IsText ? narrow : narrow.Concat(Wide().Matches(characters))).Select(match => match.Value);
    }

    // AFL accepts words of up to 128 bytes.
    [GeneratedRegex("[A-Za-z_][A-Za-z0-9_./-]{2,39}")]
    private static partial Regex Narrow();

    [GeneratedRegex("[A-Za-z_]\0(?:[A-Za-z0-9_./-]\0){2,39}")]
    private static partial Regex Wide();

    private static string Escaped(string word) =>
        string.Concat(word.Select(c => char.IsAsciiLetterOrDigit(c) ? c.ToString() : string.Create(CultureInfo.InvariantCulture, $"\\x{(int)c:x2}")));
}
