using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolscope.Etl.Tests;

/// <summary>The events that TraceEvent read from a file on Windows, as the text beside it lists them: the first of each
/// kind with their fields, and the number of each kind.</summary>
internal sealed partial class Baseline
{
    private Baseline(string path)
    {
        foreach (var line in File.ReadLines(path))
        {
            if (Count().Match(line) is { Success: true } count)
            {
                Counts.Add(count.Groups[1].Value, int.Parse(count.Groups[2].Value, CultureInfo.InvariantCulture));
            }
            else if (Event().Match(line) is { Success: true } e)
            {
                var fields = Field().Matches(e.Groups[3].Value).ToDictionary(field => field.Groups[1].Value, field => field.Groups[2].Value);
                Events.Add(new BaselineEvent(double.Parse(e.Groups[1].Value, CultureInfo.InvariantCulture), e.Groups[2].Value, fields));
            }
        }
    }

    public Dictionary<string, int> Counts { get; } = [];

    public List<BaselineEvent> Events { get; } = [];

    public static Baseline Of(string name) => new(SampleFiles.Require(name));

    [GeneratedRegex(@"^COUNT (.+):(\d+)$")]
    private static partial Regex Count();

    [GeneratedRegex(@"^EVENT ([\d,.]+): (.+?) (PID=.*)$")]
    private static partial Regex Event();

    [GeneratedRegex(@"(\w+)=([^;]*);")]
    private static partial Regex Field();
}

/// <param name="Ms">Milliseconds since the beginning of the file.</param>
internal sealed record BaselineEvent(double Ms, string Name, IReadOnlyDictionary<string, string> Fields)
{
    public long Number(string field)
    {
        var text = Fields[field].Replace(",", "", StringComparison.Ordinal);
        return text.StartsWith("0x", StringComparison.Ordinal)
            ? long.Parse(text[2..], NumberStyles.HexNumber, CultureInfo.InvariantCulture)
            : long.Parse(text, CultureInfo.InvariantCulture);
    }
}
