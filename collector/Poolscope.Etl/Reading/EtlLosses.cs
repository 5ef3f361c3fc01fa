namespace Poolscope.Etl.Reading;

/// <summary>Events that are missing on a processor.</summary>
/// <param name="AfterNs">Time of its last event before them; -1: unknown.</param>
/// <param name="BeforeNs">Time of its first event behind them; -1: unknown.</param>
/// <param name="Count">At least this many.</param>
public readonly record struct EtlLoss(long AfterNs, long BeforeNs, int Cpu, long Count);

/// <summary>Finds out where events are missing: in front of buffers that say so, and in those that are damaged.</summary>
internal sealed class EtlLosses
{
    private const long Unknown = -1;

    private readonly List<EtlLoss> _found = [];
    private readonly Dictionary<(int File, int Cpu), long> _latest = [];
    private readonly Dictionary<(int File, int Cpu), (long After, long Count)> _missing = [];

    /// <summary>A buffer was read.</summary>
    public void Opened(int file, in BufferPlace place, OpenBuffer buffer)
    {
        var key = (file, buffer.Cpu);
        if (place.Header.LostBefore)
        {
            Miss(key, _latest.GetValueOrDefault(key, Unknown), 1);
        }

        if (!buffer.IsEmpty && _missing.Remove(key, out var missing))
        {
            _found.Add(new EtlLoss(missing.After, buffer.NextNs, buffer.Cpu, missing.Count));
        }

        if (buffer.Damage is not null)
        {
            Miss(key, buffer.IsEmpty ? _latest.GetValueOrDefault(key, Unknown) : buffer.LatestNs, 1);
        }
    }

    /// <summary>All events of a buffer were reported.</summary>
    public void Told(int file, int cpu, long latest) => _latest[(file, cpu)] = latest;

    /// <summary>An event was left out.</summary>
    public void Drop(int file, int cpu, long time) => Miss((file, cpu), Math.Min(time, _latest.GetValueOrDefault((file, cpu), time)), 1);

    /// <summary>When the processor that ended first had its last event, among those of some files that went on after a time;
    /// <see cref="long.MaxValue"/>: none did.</summary>
    public long FirstEnd(Func<int, bool> isOf, long after) =>
        _latest.Where(last => last.Value > after && isOf(last.Key.File)).Select(last => last.Value).DefaultIfEmpty(long.MaxValue).Min();

    public IReadOnlyList<EtlLoss> Finish()
    {
        foreach (var ((_, cpu), (after, count)) in _missing)
        {
            _found.Add(new EtlLoss(after, Unknown, cpu, count));
        }

        _missing.Clear();
        return _found;
    }

    private void Miss((int File, int Cpu) key, long after, long count)
    {
        var (from, sum) = _missing.GetValueOrDefault(key, (after, 0));
        _missing[key] = (Math.Min(from, after), sum + count);
    }
}
