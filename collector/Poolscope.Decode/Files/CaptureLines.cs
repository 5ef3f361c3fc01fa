using System.Text;
using Poolscope.Decode.Errors;

namespace Poolscope.Decode.Files;

/// <summary>Reads the lines of a text file of a capture. Limits their length, so that a file without line ends does not
/// become one string.</summary>
internal static class CaptureLines
{
    /// <summary>Characters. Real lines have fewer than 200. A longer line is truncated, and meaningless.</summary>
    public const int LongestLine = 4096;

    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static IEnumerable<string> Of(string path)
    {
        using var reader = new StreamReader(CaptureFile.Open(path), Encoding.UTF8);
        var line = new StringBuilder();
        var buffer = new char[LongestLine];
        for (var read = reader.Read(buffer); read > 0; read = reader.Read(buffer))
        {
            var rest = buffer.AsMemory(0, read);
            for (var end = rest.Span.IndexOf('\n'); end >= 0; end = rest.Span.IndexOf('\n'))
            {
                yield return Append(line, rest.Span[..end]).ToString().TrimEnd('\r');
                line.Clear();
                rest = rest[(end + 1)..];
            }

            Append(line, rest.Span);
        }

        if (line.Length > 0)
        {
            yield return line.ToString();
        }
    }

    private static StringBuilder Append(StringBuilder line, ReadOnlySpan<char> text) =>
        line.Append(text[..Math.Min(text.Length, LongestLine - line.Length)]);
}
