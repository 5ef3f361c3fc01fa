using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of the stack class's Stack (opcode 32), StackKey (37, 38), and the definition of a key (35,
/// 36).</summary>
/// <param name="Ticks">Time stamp of the event that the stack belongs to.</param>
/// <param name="Tid">Thread that the stack belongs to.</param>
internal readonly record struct StackPayload(long Ticks, int Pid, int Tid)
{
    /// <summary>Offset of the addresses or the key.</summary>
    public const int Bytes = 16;

    /// <summary>Offset of the addresses in the definition of a key.</summary>
    public const int DefinitionBytes = 8;

    private const int PidOffset = 8;
    private const int TidOffset = 12;

    /// <returns>Null if the payload is shorter than the fields.</returns>
    public static StackPayload? Read(ReadOnlySpan<byte> payload) => payload.Length < Bytes
        ? null
        : new StackPayload(
            BinaryPrimitives.ReadInt64LittleEndian(payload),
            BinaryPrimitives.ReadInt32LittleEndian(payload[PidOffset..]),
            BinaryPrimitives.ReadInt32LittleEndian(payload[TidOffset..]));
}
