namespace Poolscope.Etl.Reading;

/// <summary>A gap in the events of a processor.</summary>
/// <param name="AfterNs">Time of the processor's last event before the gap; -1: unknown.</param>
/// <param name="BeforeNs">Time of the processor's first event after the gap; -1: unknown.</param>
/// <param name="Count">The least number of missing events.</param>
public readonly record struct EtlLoss(long AfterNs, long BeforeNs, int Cpu, long Count);

/// <summary>Finds the gaps in the events: before buffers that report a loss, and in damaged buffers.</summary>
internal sealed class EtlLosses
{
    private const long Unknown = -1;

    private readonly List<EtlLoss> _found = [];
    private readonly Dictionary<(int File, int Cpu), long> _latest = [];
    private readonly Dictionary<(int File, int Cpu), (long After, long Count)> _missing = [];

    /// <summary>Notes the gaps that a newly read buffer shows.</summary>
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

    /// <summary>Notes the time of a buffer's last event, once all its events were reported.</summary>
    public void Told(int file, int cpu, long latest) => _latest[(file, cpu)] = latest;

    /// <summary>Notes an event that the merge left out.</summary>
    public void Drop(int file, int cpu, long time) => Miss((file, cpu), Math.Min(time, _latest.GetValueOrDefault((file, cpu), time)), 1);

    /// <summary>Returns the time of the last event of the processor that ended first. Only processors with events after
    /// <paramref name="after"/> count, in the files that <paramref name="isOf"/> selects. Returns
    /// <see cref="long.MaxValue"/> if there are none.</summary>
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
