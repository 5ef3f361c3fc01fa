using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of ReadyThread (thread class, opcode 50): a thread was made runnable.</summary>
internal readonly record struct ReadyPayload(int Tid, byte Flags)
{
    // Readied by a deferred procedure call, which borrows whatever thread its core ran.
    private const int FromDpc = 0x1;

    // Its kernel stack or its process is paged out: it waits for memory first, and a second event says when it is ready.
    private const int SwappedOut = 0x2 | 0x4;

    private const int FlagsOffset = 6;
    private const int Bytes = 8;

    /// <summary>The thread in whose name it happened has nothing to do with it.</summary>
    public bool ByInterrupt => (Flags & FromDpc) != 0;

    public bool WaitsForMemory => (Flags & SwappedOut) != 0;

    /// <returns>Null: shorter than the fields.</returns>
    public static ReadyPayload? Read(ReadOnlySpan<byte> payload) => payload.Length < Bytes
        ? null
        : new ReadyPayload(BinaryPrimitives.ReadInt32LittleEndian(payload), payload[FlagsOffset]);
}
