using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Decode.Stacks;

/// <summary>Zero-terminated UTF-16 as event payloads hold it.</summary>
internal static class Utf16
{
    /// <param name="next">Offset behind the terminator.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no terminator.</exception>
    public static string Read(ReadOnlySpan<byte> payload, int offset, out int next)
    {
        var end = offset;
        while (BinaryPrimitives.ReadUInt16LittleEndian(payload[end..]) != 0)
        {
            end += 2;
        }

        next = end + 2;
        return Encoding.Unicode.GetString(payload[offset..end]);
    }
}
