using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.Recording;

/// <summary>Writes how much CPU the target may use whenever that changes: an orchestrator may pin it, or set its quota, while
/// it runs. The runtime's own count of processors does not follow; it is taken once, at the start.</summary>
internal sealed class CapacityRecorder : IDisposable
{
    /// <summary>Slow: a look costs a system call a thread and some small files.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    private readonly Func<(int Allowed, double? Quota)?> _read;
    private readonly ReadingsFile _file;
    private (int Allowed, double? Quota)? _last;
    private TimeSpan _next;

    public CapacityRecorder(ProcFs proc, int pid, string folder)
        : this(() => Affinity.Count(proc, pid) is { } allowed ? (allowed, CgroupQuota.Read(proc, pid)) : null, folder)
    {
    }

    /// <param name="read">Null: the process is gone.</param>
    internal CapacityRecorder(Func<(int Allowed, double? Quota)?> read, string folder)
    {
        _read = read;
        _file = new ReadingsFile(folder, CapacityStream.FileName, CapacityStream.Header);
    }

    /// <summary>Looks if it is time to.</summary>
    /// <param name="elapsed">Since the recording began.</param>
    public void Sample(TimeSpan elapsed)
    {
        if (elapsed >= _next)
        {
            _next = elapsed + Beat;
            Look(writeAnyway: false);
        }
    }

    /// <summary>The last look is written even if nothing has changed: up to it, it is known that nothing did.</summary>
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
