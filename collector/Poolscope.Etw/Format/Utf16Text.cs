using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Etw.Format;

/// <summary>Reads strings in payloads.</summary>
internal static class Utf16Text
{
    /// <summary>Returns the UTF-16 text up to its terminator or the payload's end; null if empty.</summary>
    /// <param name="next">Offset after the terminator.</param>
    public static string? Read(ReadOnlySpan<byte> bytes, out int next)
    {
        var length = 0;
        while (length + 1 < bytes.Length && BinaryPrimitives.ReadUInt16LittleEndian(bytes[length..]) != 0)
        {
            length += sizeof(char);
        }

        next = Math.Min(bytes.Length, length + sizeof(char));
        return length == 0 ? null : Encoding.Unicode.GetString(bytes[..length]);
    }

    public static string? Read(ReadOnlySpan<byte> bytes) => Read(bytes, out _);
}
