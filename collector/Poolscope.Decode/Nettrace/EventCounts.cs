using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Nettrace;

/// <summary>Counts the events of each kind in a file. Kinds are distinguished as the file describes them; a file may
/// describe one twice.</summary>
internal sealed class EventCounts
{
    private readonly Dictionary<EventKind, Count> _counts = new(ReferenceEqualityComparer.Instance);
    private EventKind? _latest;
    private Count? _count;

    /// <summary>The counts by provider, most frequent kind first.</summary>
    public IEnumerable<(EventKind Kind, long Count)> All =>
        _counts.GroupBy(c => (c.Key.Provider, c.Key.IdInFile, c.Key.Name))
            .Select(same => (Kind: same.First().Key, Count: same.Sum(c => c.Value.Events)))
            .OrderBy(c => c.Kind.Provider, StringComparer.Ordinal).ThenByDescending(c => c.Count).ThenBy(c => c.Kind.IdInFile).ThenBy(c => c.Kind.Name, StringComparer.Ordinal);

    public void Add(EventKind kind)
    {
        // Events come in runs of one kind.
        if (!ReferenceEquals(kind, _latest))
        {
            _latest = kind;
            if (!_counts.TryGetValue(kind, out _count))
            {
                _counts.Add(kind, _count = new Count());
            }
        }

        _count!.Events++;
    }

    private sealed class Count
    {
        public long Events { get; set; }
    }
}
