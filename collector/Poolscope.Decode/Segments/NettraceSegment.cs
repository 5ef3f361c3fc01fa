namespace Poolscope.Decode.Segments;

/// <summary>A part of an EventPipe session in its own file: for each block its kind (u8), its length (i32) and its
/// bytes.</summary>
public sealed class NettraceSegment
{
    internal NettraceSegment(string path, SegmentState state) => (Path, State) = (path, state);

    /// <summary>The path of the file.</summary>
    public string Path { get; }

    /// <summary>Size of the file, bytes.</summary>
    public long Bytes { get; internal init; }

    /// <summary>The time from which all events are in this segment or a later one, CLOCK_MONOTONIC ns.</summary>
    public long StartNs { get; internal init; }

    /// <summary>The time up to which all events are in this segment or an earlier one.</summary>
    public long EndNs { get; internal init; }

    /// <summary>The number of events that the session dropped during the segment.</summary>
    public long Lost { get; internal init; }

    /// <summary>The state that a reader needs before the first block.</summary>
    internal SegmentState State { get; }
}

/// <summary>The parts of an EventPipe stream up to a moment that later blocks depend on.</summary>
/// <param name="Version">Version of the format.</param>
/// <param name="Header">The trace object.</param>
/// <param name="StartTicks">Ticks of the earliest possible later event.</param>
/// <param name="Metadata">All metadata blocks so far.</param>
/// <param name="Stacks">Stack blocks since the last sequence point, after which stack ids are invalid.</param>
/// <param name="Counted">The last sequence number of each thread; empty at the beginning of a session.</param>
internal sealed record SegmentState(
    int Version,
    byte[] Header,
    long StartTicks,
    IReadOnlyList<byte[]> Metadata,
    IReadOnlyList<byte[]> Stacks,
    IReadOnlyList<KeyValuePair<long, uint>> Counted);
