using Poolscope.Decode.Captures;
using Poolscope.Decode.Runtime;

namespace Poolscope.Decode;

/// <summary>The result of decoding a capture, for tests. All its numbers can also be counted in the tables.</summary>
/// <param name="Rows">Rows of each written table.</param>
/// <param name="Streams">Coverage of each raw file.</param>
public sealed record DecodeResult(
    IReadOnlyDictionary<string, long> Rows, IReadOnlyList<StreamCoverage> Streams, Lazy<ItemCounts> CountedItems)
{
    /// <summary>Work items, by how completely they were recorded; counted at the first use.</summary>
    public ItemCounts Items => CountedItems.Value;
}
