using Poolscope.Collect.Files;
using Poolscope.Decode.Snapshots;

namespace Poolscope.Collect.EventPipe;

/// <summary>Receives the moments of snapshots as they are taken.</summary>
internal interface ISnapshotMoments : IDisposable
{
    void Add(in SnapshotMoment moment);
}

/// <summary>Writes the time of each snapshot and the intended mean gap, which determines its weight.</summary>
internal sealed class SnapshotMoments : ISnapshotMoments
{
    private StreamWriter? _file;

    /// <summary>Creates the file. A disk error ends this file only: a capture is little worse without it.</summary>
    public SnapshotMoments(string captureFolder)
    {
        try
        {
            _file = PrivateFiles.CreateText(Path.Combine(captureFolder, SnapshotMoment.FileName));
            _file.WriteLine(SnapshotMoment.Header);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _file = null;
        }
    }

    public void Add(in SnapshotMoment moment)
    {
        try
        {
            _file?.WriteLine(moment.ToLine());
        }
        catch (IOException)
        {
            _file = null;
        }
    }

    public void Dispose()
    {
        _file?.Dispose();
        _file = null;
    }
}
