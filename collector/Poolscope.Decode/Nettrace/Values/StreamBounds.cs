namespace Poolscope.Decode.Nettrace.Values;

/// <summary>The limits that the rest of a capture sets for the clock and the threads of a stream. Times are
/// CLOCK_MONOTONIC ns. A stream that exceeds them is damaged: a wrong clock makes every wait wrong, and nothing in the
/// tables would show it.</summary>
/// <param name="FromNs">No event can be older; <see cref="long.MinValue"/> if unknown.</param>
/// <param name="ToNs">No event can be newer; <see cref="long.MaxValue"/> if unknown.</param>
/// <param name="TicksPerSecond">Frequency of the stream's clock; 0 if unknown.</param>
/// <param name="PointerSize">The target's pointer size in bytes; 0 if unknown.</param>
internal readonly record struct StreamBounds(long FromNs, long ToNs, long TicksPerSecond, int PointerSize)
{
    /// <summary>The tolerance at both ends, ns. The collector reads the clock right before it starts a session and
    /// right after it ends the session, so events lie inside the window. The second allows for a late clock reading on
    /// a busy machine.</summary>
    public const long ToleranceNs = 1_000_000_000;

    /// <summary>The process id that stands for all processes.</summary>
    public const int AnyProcess = -1;

    /// <summary>Bounds without limits: the stream is checked only against itself.</summary>
    public static StreamBounds None { get; } = new(long.MinValue, long.MaxValue, 0, 0) { ProcessId = AnyProcess };

    /// <param name="from">The start of the recording, ns; -1 if unknown.</param>
    /// <param name="to">The end of the recording, ns; -1 if unknown.</param>
    public static StreamBounds Between(long from, long to, long ticksPerSecond, int pointerSize) => new(
        from < 0 ? long.MinValue : from - ToleranceNs,
        to < 0 || to > long.MaxValue - ToleranceNs ? long.MaxValue : to + ToleranceNs,
        ticksPerSecond,
        pointerSize)
    {
        ProcessId = AnyProcess,
    };

    /// <summary>The map of thread ids; null if the stream uses the thread ids of the kernel's events.</summary>
    public ThreadIds? Threads { get; init; }

    /// <summary>Whether the stream may hold events of any provider because another program recorded it. False if
    /// Poolscope recorded it and knows its providers.</summary>
    public bool AnyProvider { get; init; }

    /// <summary>The process whose events are delivered from a file of several; <see cref="AnyProcess"/> for
    /// all.</summary>
    public int ProcessId { get; init; }

    public bool Holds(long time) => time >= FromNs && time <= ToNs;
}
