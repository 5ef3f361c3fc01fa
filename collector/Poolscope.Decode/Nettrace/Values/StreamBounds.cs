namespace Poolscope.Decode.Nettrace.Values;

/// <summary>What the rest of a capture says about the clock and the threads of a stream. Times are CLOCK_MONOTONIC ns. A stream that
/// contradicts it is damaged: a clock that is wrong makes every wait wrong, and nothing in the tables would show it.</summary>
/// <param name="FromNs">No event can be older; <see cref="long.MinValue"/>: not known.</param>
/// <param name="ToNs">No event can be newer; <see cref="long.MaxValue"/>: not known.</param>
/// <param name="TicksPerSecond">Frequency of the stream's clock; 0: not known.</param>
/// <param name="PointerSize">Of the target, bytes; 0: not known.</param>
internal readonly record struct StreamBounds(long FromNs, long ToNs, long TicksPerSecond, int PointerSize)
{
    /// <summary>Added at both ends. The collector reads the clock right before it starts a session and right after it has
    /// ended it, so that events lie inside of the window; a second is for a clock that was read late on a busy machine.</summary>
    public const long ToleranceNs = 1_000_000_000;

    /// <summary>In the place of a process.</summary>
    public const int AnyProcess = -1;

    /// <summary>Nothing is known: the stream is held against itself only.</summary>
    public static StreamBounds None { get; } = new(long.MinValue, long.MaxValue, 0, 0) { ProcessId = AnyProcess };

    /// <param name="from">ns; -1: not known.</param>
    /// <param name="to">ns; -1: not known.</param>
    public static StreamBounds Between(long from, long to, long ticksPerSecond, int pointerSize) => new(
        from < 0 ? long.MinValue : from - ToleranceNs,
        to < 0 || to > long.MaxValue - ToleranceNs ? long.MaxValue : to + ToleranceNs,
        ticksPerSecond,
        pointerSize)
    {
        ProcessId = AnyProcess,
    };

    /// <summary>Null: the stream's thread ids are those of the kernel's events.</summary>
    public ThreadIds? Threads { get; init; }

    /// <summary>Whoever recorded it may have switched on any provider. False: Poolscope did, and knows them.</summary>
    public bool AnyProvider { get; init; }

    /// <summary>Of a file that holds several: the process whose events are delivered; <see cref="AnyProcess"/>: all of them.</summary>
    public int ProcessId { get; init; }

    public bool Holds(long time) => time >= FromNs && time <= ToNs;
}
