using System.Globalization;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Stacks;

namespace Poolscope.Decode.Snapshots;

/// <summary>The reason for a row of table `snapshot_moments`; the values of its column `why`, in order.</summary>
public enum SnapshotWhy
{
    /// <summary>A snapshot at a random moment.</summary>
    Random,

    /// <summary>The first snapshot of a capture of a running process.</summary>
    Start,

    /// <summary>The last snapshot of a capture.</summary>
    End,

    /// <summary>No snapshot; the mean time between snapshots changes here.</summary>
    Gap,
}

/// <summary>A line of snapshots.csv.</summary>
/// <param name="TimeNs">The time at which the snapshot's session had ended or the gap changed, CLOCK_MONOTONIC
/// ns.</param>
/// <param name="GapNs">Mean time from one snapshot to the next, from here on.</param>
/// <param name="File">File in the snapshots folder; empty if there is no snapshot.</param>
public readonly record struct SnapshotMoment(long TimeNs, long GapNs, SnapshotWhy Why, string File)
{
    /// <summary>File name in the capture folder. The first line is <see cref="Header"/>.</summary>
    public const string FileName = "snapshots.csv";

    public const string Header = "time_ns,gap_ns,why,file";

    /// <summary>Returns whether a snapshot's file holds the stack of any thread.</summary>
    /// <returns>False also for a file that cannot be read.</returns>
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

    /// <returns>The moment; null for the header, a line truncated by a killed collector, or the line of a session that
    /// had not ended (time 0), which older collectors wrote.</returns>
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
