using Poolscope.Decode.Captures;
using Poolscope.Decode.Runtime;

namespace Poolscope.Decode;

/// <summary>What decoding a capture gave, for a closing line and for tests; all of it can be counted in the tables too.</summary>
/// <param name="Rows">Rows per table that was written.</param>
/// <param name="Streams">Coverage of each raw file.</param>
/// <param name="Items">Work items, by what is known of them.</param>
public sealed record DecodeResult(
    IReadOnlyDictionary<string, long> Rows, IReadOnlyList<StreamCoverage> Streams, ItemCounts Items);
