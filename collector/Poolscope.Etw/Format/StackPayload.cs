using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of the stack class's Stack (opcode 32), StackKey (37, 38), and what says what a key stands for (35, 36).</summary>
/// <param name="Ticks">Time stamp of the event whose stack it is.</param>
/// <param name="Tid">Thread whose stack it is.</param>
internal readonly record struct StackPayload(long Ticks, int Pid, int Tid)
{
    /// <summary>Where addresses or a key begin.</summary>
    public const int Bytes = 16;

    /// <summary>Where the addresses of a key's definition begin.</summary>
    public const int DefinitionBytes = 8;

    private const int PidOffset = 8;
    private const int TidOffset = 12;

    /// <returns>Null: shorter than the fields.</returns>
    public static StackPayload? Read(ReadOnlySpan<byte> payload) => payload.Length < Bytes
        ? null
        : new StackPayload(
            BinaryPrimitives.ReadInt64LittleEndian(payload),
            BinaryPrimitives.ReadInt32LittleEndian(payload[PidOffset..]),
            BinaryPrimitives.ReadInt32LittleEndian(payload[TidOffset..]));
}
