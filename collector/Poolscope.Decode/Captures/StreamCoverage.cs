namespace Poolscope.Decode.Captures;

/// <summary>The coverage of one raw file of a capture. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="File">File name inside the capture folder.</param>
/// <param name="Tier">eventpipe, or the kernel tier.</param>
/// <param name="StartNs">The moment from which the stream recorded everything that it is for; -1 if unknown.</param>
/// <param name="EndNs">The last moment that the stream is known to cover; -1 if unknown.</param>
/// <param name="Bytes">Size of the file.</param>
/// <param name="Lost">Dropped events according to the stream; -1 if there are more than can be counted.</param>
/// <param name="Cut">The file ends in the middle, or is damaged from there on.</param>
public sealed record StreamCoverage(
    string File, string Tier, long StartNs, long EndNs, long Events, long Bytes, long Lost, bool Cut)
{
    /// <summary>system or target, if the tier supports both; null otherwise.</summary>
    public string? Scope { get; init; }

    /// <summary>A message that names the contradiction in the file and its position; null if there is none.</summary>
    public string? Damage { get; init; }
}

/// <summary>The tiers that several readers of streams use, as named in <c>streams[].tier</c> of capture.json.</summary>
internal static class StreamTiers
{
    public const string Eventpipe = "eventpipe";

    /// <summary>Readings that the collector took at intervals.</summary>
    public const string Polled = "polled";

    /// <summary>A trace of Windows.</summary>
    public const string Etw = "etw";
}
