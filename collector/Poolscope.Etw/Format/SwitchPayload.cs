using System.Buffers.Binary;

namespace Poolscope.Etw.Format;

/// <summary>Payload of CSwitch (thread class, opcode 36), version 2 and later: a core changed threads. Thread id 0 is the
/// idle thread of whichever core.</summary>
/// <param name="WaitReason">KWAIT_REASON; says why only where <paramref name="OldState"/> is Waiting.</param>
internal readonly record struct SwitchPayload(int NewTid, int OldTid, KernelThreadState OldState, byte WaitReason)
{
    private const int OldTidOffset = 4;

    // Behind both priorities, the C-state and a spare byte.
    private const int WaitReasonOffset = 12;
    private const int OldStateOffset = 14;
    private const int Bytes = 24;

    /// <returns>Null: shorter than the fields.</returns>
    public static SwitchPayload? Read(ReadOnlySpan<byte> payload) => payload.Length < Bytes
        ? null
        : new SwitchPayload(
            BinaryPrimitives.ReadInt32LittleEndian(payload),
            BinaryPrimitives.ReadInt32LittleEndian(payload[OldTidOffset..]),
            (KernelThreadState)payload[OldStateOffset],
            payload[WaitReasonOffset]);
}

/// <summary>KTHREAD_STATE, as CSwitch shows it of the thread that leaves.</summary>
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
