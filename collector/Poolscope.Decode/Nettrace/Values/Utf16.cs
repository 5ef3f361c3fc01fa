using System.Runtime.InteropServices;
using System.Text;

namespace Poolscope.Decode.Nettrace.Values;

/// <summary>Zero-terminated UTF-16 as event payloads hold it.</summary>
internal static class Utf16
{
    /// <param name="offset">Of the first character; may lie behind the payload's end.</param>
    /// <param name="text">Empty if there is none.</param>
    /// <param name="next">Offset behind the terminator.</param>
    /// <returns>False: there is no terminator.</returns>
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
