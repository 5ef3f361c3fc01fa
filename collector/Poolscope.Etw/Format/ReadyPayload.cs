using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of ReadyThread (thread class, opcode 50): a thread became runnable.</summary>
internal readonly record struct ReadyPayload(int Tid, byte Flags)
{
    // A deferred procedure call readied the thread. Such a call borrows the thread that its core runs.
    private const int FromDpc = 0x1;

    // The thread's kernel stack or process is paged out. It waits for memory first; a second event says when it is
    // ready.
    private const int SwappedOut = 0x2 | 0x4;

    private const int FlagsOffset = 6;
    private const int Bytes = 8;

    /// <summary>Whether an interrupt readied the thread. The thread in the event's header is then unrelated.</summary>
    public bool ByInterrupt => (Flags & FromDpc) != 0;

    public bool WaitsForMemory => (Flags & SwappedOut) != 0;

    /// <returns>Null if the payload is shorter than the fields.</returns>
    public static ReadyPayload? Read(ReadOnlySpan<byte> payload) => payload.Length < Bytes
        ? null
        : new ReadyPayload(BinaryPrimitives.ReadInt32LittleEndian(payload), payload[FlagsOffset]);
}
