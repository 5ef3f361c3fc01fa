namespace Poolscope.Decode.WorkItems;

// The numbers of all these enums are the schema's indices and bits (work_items); a test compares them.

internal enum EnqueueKnown : byte
{
    Absent,
    Event,
}

internal enum DequeueKnown : byte
{
    Absent,
    Event,
    TaskStarted,
}

internal enum EndKnown : byte
{
    Absent,
    TaskCompleted,
    NextDequeue,
    Park,
    ThreadStop,
    ThreadExit,
}

internal enum ItemKind : byte
{
    Other,
    Task,
}

[Flags]
internal enum ItemFlags : ushort
{
    None = 0,
    CensoredStart = 1 << 0,
    QueuedAtEnd = 1 << 1,
    RunningAtEnd = 1 << 2,
    Collided = 1 << 3,
    Inlined = 1 << 4,
    Transferred = 1 << 5,
    EndCorrected = 1 << 6,
}
