using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of CSwitch (thread class, opcode 36), version 2 and later: a core switched threads. Thread id 0 is
/// the idle thread of any core.</summary>
/// <param name="WaitReason">KWAIT_REASON; valid only if <paramref name="OldState"/> is Waiting.</param>
internal readonly record struct SwitchPayload(int NewTid, int OldTid, KernelThreadState OldState, byte WaitReason)
{
    private const int OldTidOffset = 4;

    // After both priorities, the C-state and a spare byte.
    private const int WaitReasonOffset = 12;
    private const int OldStateOffset = 14;
    private const int Bytes = 24;

    /// <returns>Null if the payload is shorter than the fields.</returns>
    public static SwitchPayload? Read(ReadOnlySpan<byte> payload) => payload.Length < Bytes
        ? null
        : new SwitchPayload(
            BinaryPrimitives.ReadInt32LittleEndian(payload),
            BinaryPrimitives.ReadInt32LittleEndian(payload[OldTidOffset..]),
            (KernelThreadState)payload[OldStateOffset],
            payload[WaitReasonOffset]);
}

/// <summary>KTHREAD_STATE of the thread that leaves, as CSwitch reports it.</summary>
internal enum KernelThreadState : byte
{
    Initialized = 0,
    Ready = 1,
    Running = 2,
    Standby = 3,
    Terminated = 4,
    Waiting = 5,
    Transition = 6,
    DeferredReady = 7,
}
