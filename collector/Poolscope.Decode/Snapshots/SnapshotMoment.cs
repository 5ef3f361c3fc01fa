using System.Globalization;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Stacks;

namespace Poolscope.Decode.Snapshots;

/// <summary>Why there is a row of table `snapshot_moments`; the values of its column `why`, in order.</summary>
public enum SnapshotWhy
{
    /// <summary>A snapshot at a random moment.</summary>
    Random,

    /// <summary>The snapshot with which a capture of a running process begins.</summary>
    Start,

    /// <summary>The snapshot with which a capture ends.</summary>
    End,

    /// <summary>No snapshot: from here on they are this far apart.</summary>
    Gap,
}

/// <summary>A line of snapshots.csv.</summary>
/// <param name="TimeNs">When its session had ended, or when the gap changed; CLOCK_MONOTONIC ns.</param>
/// <param name="GapNs">Mean time from one snapshot to the next, from here on.</param>
/// <param name="File">File in the snapshots folder; empty: no snapshot.</param>
public readonly record struct SnapshotMoment(long TimeNs, long GapNs, SnapshotWhy Why, string File)
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "snapshots.csv";

    public const string Header = "time_ns,gap_ns,why,file";

    /// <summary>Whether a snapshot's file holds a thread's stack.</summary>
    /// <returns>False also of a file that cannot be read.</returns>
    public static bool HasStacks(string path)
    {
        var some = false;
        try
        {
            NettraceStackReader.Read(path, StreamBounds.None, (_, _, _, _) => some = true);
        }
        catch (DecodeException)
        {
            return false;
        }

        return some;
    }

    public string ToLine() => string.Create(
        CultureInfo.InvariantCulture, $"{TimeNs},{GapNs},{Why.ToString().ToLowerInvariant()},{File}");

    /// <returns>Null: the header, the last line of a collector that was killed, or a session that had not ended when older
    /// collectors wrote its line (time 0).</returns>
    public static SnapshotMoment? Parse(string line)
    {
        var fields = line.Split(',');
        return fields.Length == 4
            && long.TryParse(fields[0], NumberStyles.None, CultureInfo.InvariantCulture, out var time)
            && time > 0
            && long.TryParse(fields[1], NumberStyles.None, CultureInfo.InvariantCulture, out var gap)
            && Enum.TryParse<SnapshotWhy>(fields[2], ignoreCase: true, out var why)
            ? new SnapshotMoment(time, gap, why, fields[3])
            : null;
    }
}
