using System.Runtime.InteropServices;
using System.Text;

namespace Poolscope.Decode.Nettrace.Values;

/// <summary>Reads zero-terminated UTF-16 in event payloads.</summary>
internal static class Utf16
{
    /// <param name="offset">The offset of the first character; may lie beyond the end of the payload.</param>
    /// <param name="text">The text; empty if there is no terminator.</param>
    /// <param name="next">The offset after the terminator.</param>
    /// <returns>False if there is no terminator.</returns>
    public static bool TryRead(ReadOnlySpan<byte> payload, int offset, out string text, out int next)
    {
        (text, next) = ("", offset);
        var rest = offset >= 0 && offset <= payload.Length ? payload[offset..] : default;
        var length = MemoryMarshal.Cast<byte, char>(rest).IndexOf('\0');
        if (length < 0)
        {
            return false;
        }

        text = Encoding.Unicode.GetString(rest[..(length * sizeof(char))]);
        next = offset + ((length + 1) * sizeof(char));
        return true;
    }
}
