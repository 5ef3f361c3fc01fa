using System.Globalization;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Streams;

namespace Poolscope.Collect.Recording;

/// <summary>Writes how much CPU the target may use whenever that changes: an orchestrator may pin it, or set its quota, while
/// it runs. The runtime's own count of processors does not follow; it is taken once, at the start.</summary>
internal sealed class CapacityRecorder : IDisposable
{
    /// <summary>Slow: a look costs a system call a thread and some small files.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    private readonly Func<(int Allowed, double? Quota)?> _read;
    private StreamWriter? _file;
    private (int Allowed, double? Quota)? _last;
    private TimeSpan _next;

    public CapacityRecorder(ProcFs proc, int pid, string folder)
        : this(() => Affinity.Count(proc, pid) is { } allowed ? (allowed, CgroupQuota.Read(proc, pid)) : null, folder)
    {
    }

    /// <summary>A capture is no worse for lacking this file, so a disk that fails ends only this.</summary>
    /// <param name="read">Null: the process is gone.</param>
    internal CapacityRecorder(Func<(int Allowed, double? Quota)?> read, string folder)
    {
        _read = read;
        try
        {
            _file = PrivateFiles.CreateText(Path.Combine(folder, CapacityStream.FileName));
            _file.WriteLine(CapacityStream.Header);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _file = null;
        }
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

    /// <summary>The last look is written even where nothing has changed: up to it, it is known that nothing did.</summary>
    public void Dispose()
    {
        Look(writeAnyway: true);
        _file?.Dispose();
        _file = null;
    }

    private void Look(bool writeAnyway)
    {
        var now = MonotonicClock.NowNs;
        if (_file is null || _read() is not { } read || (read == _last && !writeAnyway))
        {
            return;
        }

        _last = read;
        try
        {
            _file.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{now},{read.Allowed},{read.Quota}"));
        }
        catch (IOException)
        {
            _file = null;
        }
    }
}
