using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.Recording;

/// <summary>Writes the counters of the target's CPU quota at each beat of the recording. It finds the group each time:
/// a process may be moved, and a quota set, while it runs.</summary>
internal sealed class ThrottleRecorder : IDisposable
{
    private readonly ProcFs _proc;
    private readonly int _pid;
    private readonly ReadingsFile? _file;

    public ThrottleRecorder(ProcFs proc, int pid, string folder)
    {
        (_proc, _pid) = (proc, pid);
        if (proc.ReadText($"/proc/{pid}/cgroup") is not null)
        {
            _file = new ReadingsFile(folder, ThrottleStream.FileName, ThrottleStream.Header);
        }
    }

    public void Sample()
    {
        var now = MonotonicClock.NowNs;
        if (_file is { IsOpen: true } && CgroupThrottling.Read(_proc, _pid) is { } read)
        {
            _file.Write($"{now},{read.Periods},{read.ThrottledPeriods},{read.ThrottledNs},{read.Group}");
        }
    }

    public void Dispose() => _file?.Dispose();
}
