using System.Collections.ObjectModel;

namespace Poolscope.Collect.Commands.Collecting;

/// <summary>The labels of a capture, given as <c>key=value</c> by the person who records it.</summary>
internal static class CaptureLabels
{
    public const int Most = 32;

    public const int LongestKey = 64;

    public const int LongestValue = 256;

    /// <summary>Returns one line that describes the first fault in the labels, or null if there is none.</summary>
    public static string? Complaint(IReadOnlyList<string> given)
    {
        if (given.Count > Most)
        {
            return $"--label: {given.Count} labels; {Most} are allowed";
        }

        var keys = new HashSet<string>(StringComparer.Ordinal);
        foreach (var text in given)
        {
            var at = text.IndexOf('=', StringComparison.Ordinal);
            var key = at < 0 ? text : text[..at];
            if (at < 0 || key.Length is 0 or > LongestKey || !key.All(IsOfKey))
            {
                return $"--label takes key=value, the key of 1 to {LongestKey} of a-z, 0-9, _, . and -, not {Shown(text)}";
            }

            var value = text[(at + 1)..];
            if (value.Length is 0 or > LongestValue || value.Any(char.IsControl))
            {
                return $"--label {key}: its value has 1 to {LongestValue} characters, none of them control characters";
            }

            if (!keys.Add(key))
            {
                return $"--label {key} is given twice";
            }
        }

        return null;
    }

    /// <summary>Returns the labels by key. <see cref="Complaint"/> must have found no fault in the texts.</summary>
    public static IReadOnlyDictionary<string, string> Of(IReadOnlyList<string>? given) =>
        given is not { Count: > 0 }
            ? ReadOnlyDictionary<string, string>.Empty
            : given.Select(text => text.Split('=', 2)).ToDictionary(pair => pair[0], pair => pair[1], StringComparer.Ordinal);

    private static bool IsOfKey(char c) => c is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '_' or '.' or '-';

    private static string Shown(string text)
    {
        var line = text.ReplaceLineEndings(" ");
        return line.Length > 40 ? line[..40] + "..." : line;
    }
}
