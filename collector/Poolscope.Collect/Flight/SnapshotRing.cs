using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Files;
using Poolscope.Decode.Snapshots;

namespace Poolscope.Collect.Flight;

/// <summary>The snapshots of the last minutes, and when they were taken.</summary>
/// <param name="folder">Of the watcher's snapshots: their files lie in the folder <see cref="SessionPlan.SnapshotsFolder"/> in it.</param>
internal sealed class SnapshotRing(string folder) : ISnapshotMoments
{
    private readonly Lock _lock = new();
    private readonly LinkedList<SnapshotMoment> _moments = [];

    /// <summary>How far apart snapshots were to be where the moments begin; 0: not known.</summary>
    private long _gapNs;

    public void Add(in SnapshotMoment moment)
    {
        lock (_lock)
        {
            _moments.AddLast(moment);
        }
    }

    /// <summary>Deletes what is older.</summary>
    public void Forget(long beforeNs)
    {
        lock (_lock)
        {
            while (_moments.First is { Value: var first } && first.TimeNs < beforeNs)
            {
                _moments.RemoveFirst();
                _gapNs = first.GapNs;
                if (first.File.Length > 0)
                {
                    TryDelete(PathOf(folder, first.File));
                }
            }
        }
    }

    /// <summary>Copies the snapshots of a time into a capture, with their moments.</summary>
    /// <returns>Bytes of the snapshots.</returns>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    public long CopyTo(string capture, long fromNs, long toNs)
    {
        List<SnapshotMoment> moments;
        long gap;
        lock (_lock)
        {
            moments = [.. _moments.Where(moment => moment.TimeNs >= fromNs && moment.TimeNs <= toNs)];
            gap = _moments.LastOrDefault(moment => moment.TimeNs < fromNs) is { TimeNs: > 0 } last ? last.GapNs : _gapNs;
        }

        if (moments.Count == 0)
        {
            return 0;
        }

        PrivateFiles.CreateFolder(Path.Combine(capture, SessionPlan.SnapshotsFolder));
        using var file = new SnapshotMoments(capture);
        if (gap > 0)
        {
            file.Add(new SnapshotMoment(fromNs, gap, SnapshotWhy.Gap, ""));
        }

        var bytes = 0L;
        foreach (var moment in moments)
        {
            if (moment.File.Length > 0)
            {
                var copy = PathOf(capture, moment.File);
                File.Copy(PathOf(folder, moment.File), copy);
                bytes += new FileInfo(copy).Length;
            }

            file.Add(moment);
        }

        return bytes;
    }

    public void Dispose() => Forget(long.MaxValue);

    private static string PathOf(string parent, string file) => Path.Combine(parent, SessionPlan.SnapshotsFolder, file);

    private static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It goes with the folder.
        }
    }
}
