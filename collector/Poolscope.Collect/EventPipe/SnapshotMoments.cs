using Poolscope.Collect.Files;
using Poolscope.Decode.Snapshots;

namespace Poolscope.Collect.EventPipe;

/// <summary>Gets the moments of snapshots as they come.</summary>
internal interface ISnapshotMoments : IDisposable
{
    void Add(in SnapshotMoment moment);
}

/// <summary>Writes when each snapshot was taken and how far apart they were meant to be, which its weight follows from.</summary>
internal sealed class SnapshotMoments : ISnapshotMoments
{
    private StreamWriter? _file;

    /// <summary>A capture is only a little worse for lacking this file, so a disk that fails ends only this.</summary>
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
