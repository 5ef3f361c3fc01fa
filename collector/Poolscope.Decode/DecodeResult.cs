using Poolscope.Decode.Captures;
using Poolscope.Decode.Runtime;

namespace Poolscope.Decode;

/// <summary>The result of decoding a capture, for the closing line and for tests. All its numbers can also be counted
/// in the tables.</summary>
/// <param name="Rows">Rows of each written table.</param>
/// <param name="Streams">Coverage of each raw file.</param>
/// <param name="Items">Work items, by how completely they were recorded.</param>
public sealed record DecodeResult(
    IReadOnlyDictionary<string, long> Rows, IReadOnlyList<StreamCoverage> Streams, ItemCounts Items);
