using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of the thread class's Start, End, DCStart (opcodes 1, 2, 3) and SetName (72).</summary>
/// <param name="Name">Name of the thread; null if it has none or the event's version is older.</param>
internal readonly record struct ThreadPayload(int Pid, int Tid, string? Name)
{
    private const int TidOffset = 4;
    private const int Bytes = 8;

    // Start, End and DCStart: stack bounds (kernel and user), affinity, start address and TEB.
    private const int Pointers = 7;

    // SubProcessTag (u32), three priorities and the flags (u8 each).
    private const int BehindPointers = 8;

    /// <summary>Reads Start, End or DCStart. They have a name from version 4 on (Windows 10 1607).</summary>
    /// <returns>Null if the payload is shorter than the ids.</returns>
    public static ThreadPayload? Read(ReadOnlySpan<byte> payload, int pointerSize) =>
        ReadNameAt(payload, nameOffset: Bytes + (Pointers * pointerSize) + BehindPointers);

    /// <summary>Reads SetName.</summary>
    /// <returns>Null if the payload is shorter than the ids.</returns>
    public static ThreadPayload? ReadSetName(ReadOnlySpan<byte> payload) => ReadNameAt(payload, nameOffset: Bytes);

    private static ThreadPayload? ReadNameAt(ReadOnlySpan<byte> payload, int nameOffset) => payload.Length < Bytes
        ? null
        : new ThreadPayload(
            BinaryPrimitives.ReadInt32LittleEndian(payload),
            BinaryPrimitives.ReadInt32LittleEndian(payload[TidOffset..]),
            Utf16Text.Read(payload[Math.Min(nameOffset, payload.Length)..]));
}
