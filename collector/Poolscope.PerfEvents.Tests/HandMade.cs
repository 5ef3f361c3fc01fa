using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Builds records as the kernel writes them, for rare cases.</summary>
internal static class HandMade
{
    private const int SizeShift = 48;

    /// <param name="body">Everything after the header, including the trailer, in words of 8 bytes: little-endian, like
    /// the recorder's hosts.</param>
    internal static byte[] Record(RecordType type, params ReadOnlySpan<ulong> body)
    {
        var record = new byte[sizeof(ulong) * (1 + body.Length)];
        BinaryPrimitives.WriteUInt64LittleEndian(record, (uint)type | ((ulong)record.Length << SizeShift));
        for (var i = 0; i < body.Length; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(record.AsSpan(sizeof(ulong) * (i + 1)), body[i]);
        }

        return record;
    }
}
