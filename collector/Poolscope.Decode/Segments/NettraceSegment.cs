namespace Poolscope.Decode.Segments;

/// <summary>A part of an EventPipe session, in a file of its own: of each block its kind (u8) and length (i32), then its bytes.</summary>
public sealed class NettraceSegment
{
    internal NettraceSegment(string path, SegmentState state) => (Path, State) = (path, state);

    /// <summary>The file.</summary>
    public string Path { get; }

    /// <summary>Size of the file.</summary>
    public long Bytes { get; internal init; }

    /// <summary>CLOCK_MONOTONIC ns from which on all events are in it or in a later one.</summary>
    public long StartNs { get; internal init; }

    /// <summary>Up to here all events are in it, or in an earlier one.</summary>
    public long EndNs { get; internal init; }

    /// <summary>Events that the session dropped meanwhile.</summary>
    public long Lost { get; internal init; }

    /// <summary>What a reader must know before the first block.</summary>
    internal SegmentState State { get; }
}

/// <summary>What an EventPipe stream had told up to a moment, as far as what follows builds on it.</summary>
/// <param name="Version">Of the format.</param>
/// <param name="Header">The trace object.</param>
/// <param name="StartTicks">Nothing that follows is older.</param>
/// <param name="Metadata">Every block of descriptions so far.</param>
/// <param name="Stacks">Blocks of stacks since the last sequence point, which ends the life of their ids.</param>
/// <param name="Counted">How far each thread had counted its events; empty at the beginning of a session.</param>
internal sealed record SegmentState(
    int Version,
    byte[] Header,
    long StartTicks,
    IReadOnlyList<byte[]> Metadata,
    IReadOnlyList<byte[]> Stacks,
    IReadOnlyList<KeyValuePair<long, uint>> Counted);
