using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Files;
using Poolscope.Decode.Snapshots;

namespace Poolscope.Collect.Flight;

/// <summary>Keeps the snapshots of the last minutes, and their times.</summary>
/// <param name="folder">The folder of the watcher's snapshots. Their files are in its subfolder
/// <see cref="SessionPlan.SnapshotsFolder"/>.</param>
internal sealed class SnapshotRing(string folder) : ISnapshotMoments
{
    private readonly Lock _lock = new();
    private readonly LinkedList<SnapshotMoment> _moments = [];

    /// <summary>The intended mean gap in ns at the first of the moments, or 0 if unknown.</summary>
    private long _gapNs;

    public void Add(in SnapshotMoment moment)
    {
        lock (_lock)
        {
            _moments.AddLast(moment);
        }
    }

    /// <summary>Deletes the snapshots before a time.</summary>
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

    /// <summary>Copies the snapshots of a time span into a capture, with their moments.</summary>
    /// <returns>The bytes of the snapshots.</returns>
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
            // The file is deleted with the folder.
        }
    }
}
