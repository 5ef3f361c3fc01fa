using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of the configuration class's CPU (opcode 10): the machine's processors, memory and name.</summary>
/// <param name="Name">Name of the machine; null if not reported.</param>
internal readonly record struct MachinePayload(int Processors, long MemoryBytes, string? Name)
{
    private const int ProcessorsOffset = 4;
    private const int MemoryOffset = 8;

    // MHz, processors, memory in MB, page size, granularity (u32 each).
    private const int NameOffset = 20;
    private const int NameBytes = 512;

    /// <returns>Null if the payload is shorter than the fields.</returns>
    public static MachinePayload? Read(ReadOnlySpan<byte> payload) => payload.Length < NameOffset
        ? null
        : new MachinePayload(
            BinaryPrimitives.ReadInt32LittleEndian(payload[ProcessorsOffset..]),
            (long)BinaryPrimitives.ReadUInt32LittleEndian(payload[MemoryOffset..]) << 20,
            Utf16Text.Read(payload.Slice(NameOffset, Math.Min(NameBytes, payload.Length - NameOffset))));
}
