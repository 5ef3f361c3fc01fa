namespace Poolscope.Decode.Captures;

/// <summary>What one raw file of the capture covers. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="File">File name inside the capture folder.</param>
/// <param name="Tier">eventpipe, or the kernel tier.</param>
/// <param name="StartNs">From here on the stream recorded everything it is for; -1: unknown.</param>
/// <param name="EndNs">Last moment that the stream is known to cover; -1: unknown.</param>
/// <param name="Bytes">Size of the file.</param>
/// <param name="Lost">Events that the stream says were dropped; -1: more than can be counted.</param>
/// <param name="Cut">The file ends in the middle, or is damaged from there on.</param>
public sealed record StreamCoverage(
    string File, string Tier, long StartNs, long EndNs, long Events, long Bytes, long Lost, bool Cut)
{
    /// <summary>system or target, where the tier knows both; null: it does not.</summary>
    public string? Scope { get; init; }

    /// <summary>What of the file cannot be true, and where, for a person; null: nothing.</summary>
    public string? Damage { get; init; }
}

/// <summary>Tiers that several readers of streams name, as <c>streams[].tier</c> of capture.json has them.</summary>
internal static class StreamTiers
{
    public const string Eventpipe = "eventpipe";

    /// <summary>Readings that the collector took at a beat.</summary>
    public const string Polled = "polled";

    /// <summary>A trace of Windows.</summary>
    public const string Etw = "etw";
}
