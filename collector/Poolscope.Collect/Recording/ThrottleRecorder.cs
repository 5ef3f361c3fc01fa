using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Streams;

namespace Poolscope.Collect.Recording;

/// <summary>Writes the counters of the target's CPU quota at each beat of the recording. The group is looked up each time:
/// a process may be moved, and a quota set, while it runs.</summary>
internal sealed class ThrottleRecorder : IDisposable
{
    private readonly ProcFs _proc;
    private readonly int _pid;
    private StreamWriter? _file;

    /// <summary>A capture is no worse for lacking this file, so a disk that fails ends only this.</summary>
    public ThrottleRecorder(ProcFs proc, int pid, string folder)
    {
        (_proc, _pid) = (proc, pid);
        if (proc.ReadText($"/proc/{pid}/cgroup") is null)
        {
            return;
        }

        try
        {
            _file = PrivateFiles.CreateText(Path.Combine(folder, ThrottleStream.FileName));
            _file.WriteLine(ThrottleStream.Header);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _file = null;
        }
    }

    public void Sample()
    {
        var now = MonotonicClock.NowNs;
        if (_file is null || CgroupThrottling.Read(_proc, _pid) is not { } read)
        {
            return;
        }

        try
        {
            _file.WriteLine(string.Create(
                System.Globalization.CultureInfo.InvariantCulture,
                $"{now},{read.Periods},{read.ThrottledPeriods},{read.ThrottledNs},{read.Group}"));
        }
        catch (IOException)
        {
            _file = null;
        }
    }

    public void Dispose() => _file?.Dispose();
}
