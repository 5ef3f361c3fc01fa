using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.Recording;

/// <summary>Writes how much CPU the target may use whenever that changes: an orchestrator may pin the target, or set
/// its quota, while it runs. The runtime's own count of processors does not follow; the runtime takes it once, at the
/// start.</summary>
internal sealed class CapacityRecorder : IDisposable
{
    /// <summary>The time between two readings. It is long, because a reading costs a system call a thread and some
    /// small files.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    private readonly Func<(int Allowed, double? Quota)?> _read;
    private readonly ReadingsFile _file;
    private (int Allowed, double? Quota)? _last;
    private TimeSpan _next;

    public CapacityRecorder(ProcFs proc, int pid, string folder)
        : this(() => Affinity.Count(proc, pid) is { } allowed ? (allowed, CgroupQuota.Read(proc, pid)) : null, folder)
    {
    }

    /// <param name="read">Returns the limits, or null if the process is gone.</param>
    internal CapacityRecorder(Func<(int Allowed, double? Quota)?> read, string folder)
    {
        _read = read;
        _file = new ReadingsFile(folder, CapacityStream.FileName, CapacityStream.Header);
    }

    /// <summary>Takes a reading if one is due.</summary>
    /// <param name="elapsed">The time since the recording began.</param>
    public void Sample(TimeSpan elapsed)
    {
        if (elapsed >= _next)
        {
            _next = elapsed + Beat;
            Look(writeAnyway: false);
        }
    }

    /// <summary>Writes the last reading even if nothing has changed, to show that nothing did until then.</summary>
    public void Dispose()
    {
        Look(writeAnyway: true);
        _file.Dispose();
    }

    private void Look(bool writeAnyway)
    {
        var now = MonotonicClock.NowNs;
        if (!_file.IsOpen || _read() is not { } read || (read == _last && !writeAnyway))
        {
            return;
        }

        _last = read;
        _file.Write($"{now},{read.Allowed},{read.Quota}");
    }
}
