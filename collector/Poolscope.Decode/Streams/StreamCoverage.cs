namespace Poolscope.Decode.Streams;

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
