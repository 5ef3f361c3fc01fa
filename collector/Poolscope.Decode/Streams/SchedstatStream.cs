using Poolscope.Decode.Captures;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Schedstat;
using Poolscope.Decode.WorkItems;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>The polled counters of a capture's threads, decoded into tables.</summary>
internal sealed class SchedstatStream : IThreadStates
{
    private readonly SchedstatTables _tables;

    private SchedstatStream(SchedstatTables tables) => _tables = tables;

    public Table Threads => _tables.Threads;

    /// <summary>Always null: a polling step is a hundred times as long as the correction of a park event.</summary>
    public RunningIntervals? Running => null;

    public IEnumerable<Table> Tables() => [_tables.Threads, _tables.ThreadStates];

    /// <summary>Reads the stream and adds it to the capture's coverage.</summary>
    /// <returns>The stream; null if the capture has none, or if it is damaged. Coverage then reports the damaged stream
    /// as cut, and its data is not used.</returns>
    public static SchedstatStream? Read(
        Capture capture, TargetInfo target, IProgress<string>? progress, CancellationToken cancellation)
    {
        const string file = SchedstatFormat.FileName;
        if (!capture.Has(file))
        {
            return null;
        }

        progress?.Report($"{file}: reading");
        try
        {
            var tables = new SchedstatTables(target.Pid);
            var read = SchedstatFile.Read(capture.PathOf(file), capture.BoundsOf(file), record => tables.Add(record), cancellation);
            tables.Finish(read.LastNs);
            var stream = capture.Add(file, SchedstatFormat.Tier, read.FirstNs, read.LastNs, read.Records, lost: 0, read.Cut, damage: read.Damage);
            capture.AddEnd(stream, progress);
            return new SchedstatStream(tables);
        }
        catch (InvalidDataException e)
        {
            capture.AddUnreadable(file, SchedstatFormat.Tier, e.Message, progress);
            return null;
        }
    }
}
