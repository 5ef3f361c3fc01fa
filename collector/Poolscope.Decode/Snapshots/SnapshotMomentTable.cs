using Poolscope.Tables;

namespace Poolscope.Decode.Snapshots;

/// <summary>Table `snapshot_moments`: the collector's lines, and what the files of the snapshots turned out to hold.</summary>
internal sealed class SnapshotMomentTable
{
    private readonly List<SnapshotMoment> _told;
    private readonly Dictionary<string, (long Time, int Threads)> _read = [];

    public SnapshotMomentTable(IEnumerable<string> lines) => _told = [.. lines.Select(SnapshotMoment.Parse).OfType<SnapshotMoment>()];

    /// <summary>What a file holds.</summary>
    /// <param name="time">First walk of a stack, ns; -1: there was none.</param>
    /// <param name="threads">Rows of table `snapshots` that it gave.</param>
    public void AddFile(string file, long time, int threads) => _read[file] = (time, threads);

    /// <summary>The table, in order of time.</summary>
    public Table ToTable()
    {
        var table = Table.Create("snapshot_moments");
        var (time, gap, why, threads) = (table.Int64("time"), table.Int64("gap"), table.Enum("why"), table.Int32("threads"));
        var rows = _told.Select(moment => _read.Remove(moment.File, out var read)
            ? (Time: read.Time < 0 ? moment.TimeNs : read.Time, moment.GapNs, moment.Why, read.Threads)
            : (Time: moment.TimeNs, moment.GapNs, moment.Why, moment.Why == SnapshotWhy.Gap ? -1 : 0)).ToList();

        // Taken while the collector was killed: its stacks are in the table, so its moment must be here.
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
