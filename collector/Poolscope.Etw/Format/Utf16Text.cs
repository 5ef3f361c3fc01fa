using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Etw.Format;

/// <summary>Texts of payloads.</summary>
internal static class Utf16Text
{
    /// <summary>UTF-16 up to its terminator or the payload's end; null: nothing.</summary>
    /// <param name="next">Behind the terminator.</param>
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
