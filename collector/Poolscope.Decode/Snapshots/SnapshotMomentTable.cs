using Poolscope.Tables;

namespace Poolscope.Decode.Snapshots;

/// <summary>Table `snapshot_moments`, from the collector's lines and the contents of the snapshot files.</summary>
internal sealed class SnapshotMomentTable
{
    private readonly List<SnapshotMoment> _told;
    private readonly Dictionary<string, (long Time, int Threads)> _read = [];

    public SnapshotMomentTable(IEnumerable<string> lines) => _told = [.. lines.Select(SnapshotMoment.Parse).OfType<SnapshotMoment>()];

    /// <summary>Adds the contents of a file.</summary>
    /// <param name="time">Time of the first stack walk, ns; -1 if there was none.</param>
    /// <param name="threads">Number of rows that the file added to table `snapshots`.</param>
    public void AddFile(string file, long time, int threads) => _read[file] = (time, threads);

    /// <summary>Returns the table, in order of time.</summary>
    public Table ToTable()
    {
        var table = Table.Create("snapshot_moments");
        var (time, gap, why, threads) = (table.Int64("time"), table.Int64("gap"), table.Enum("why"), table.Int32("threads"));
        var rows = _told.Select(moment => _read.Remove(moment.File, out var read)
            ? (Time: read.Time < 0 ? moment.TimeNs : read.Time, moment.GapNs, moment.Why, read.Threads)
            : (Time: moment.TimeNs, moment.GapNs, moment.Why, moment.Why == SnapshotWhy.Gap ? -1 : 0)).ToList();

        // Snapshots taken while the collector was killed have no line, but their stacks are in the table, so their
        // moments must be too.
        rows.AddRange(_read.Values.Where(read => read.Time >= 0).Select(read => (read.Time, -1L, SnapshotWhy.Random, read.Threads)));
        foreach (var row in rows.OrderBy(row => row.Time))
        {
            time.Add(row.Time);
            gap.Add(row.GapNs);
            why.Add((byte)row.Why);
            threads.Add(row.Item4);
        }

        return table;
    }
}
