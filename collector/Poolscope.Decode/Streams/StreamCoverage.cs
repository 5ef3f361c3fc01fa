namespace Poolscope.Decode;

/// <summary>What one raw file of the capture covers. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="File">File name inside the capture folder.</param>
/// <param name="Tier">eventpipe, or the kernel tier.</param>
/// <param name="StartNs">From here on the stream recorded everything it is for; -1: unknown.</param>
/// <param name="EndNs">Last moment that the stream is known to cover; -1: unknown.</param>
/// <param name="Bytes">Size of the file.</param>
/// <param name="Lost">Events that the stream says were dropped; -1: more than can be counted.</param>
/// <param name="Cut">The file ends in the middle.</param>
public sealed record StreamCoverage(
    string File, string Tier, long StartNs, long EndNs, long Events, long Bytes, long Lost, bool Cut)
{
    /// <summary>Takes the interval from the manifest where it is known, from the events where the stream did not end as told.</summary>
    /// <param name="manifest">Null: the collector was killed before it wrote about this stream.</param>
    /// <param name="recording">The manifest was never completed, so its end is none.</param>
    /// <param name="firstNs">First event; -1: none.</param>
    /// <param name="lastNs">Last event; -1: none.</param>
    internal static StreamCoverage Of(
        string file, string tier, Manifest.StreamInfo? manifest, bool recording,
        long firstNs, long lastNs, long events, long bytes, long lost, bool cut)
    {
        var start = manifest is { StartNs: > 0 } ? manifest.StartNs : firstNs;
        var told = !cut && !recording && manifest is { EndNs: > 0 };
        var end = told ? manifest!.EndNs : Math.Max(start, lastNs);
        return new StreamCoverage(file, manifest?.Tier ?? tier, start, end, events, bytes, lost, cut);
    }
}
