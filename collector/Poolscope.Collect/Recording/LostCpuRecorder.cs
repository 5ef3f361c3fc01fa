using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.Recording;

/// <summary>Writes once a second how much time the machine's CPUs have lost to the host of a virtual machine and to
/// interrupts. No event of the scheduler shows this time, and a thread that lost it seems to compute.</summary>
internal sealed class LostCpuRecorder : IDisposable
{
    /// <summary>The time between readings. The kernel counts in 10 ms, so shares over less than a second are
    /// rough.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    private readonly ProcFs _proc;
    private readonly ReadingsFile? _file;
    private TimeSpan _next;

    public LostCpuRecorder(ProcFs proc, string folder)
    {
        _proc = proc;
        if (LostCpuTime.Read(proc) is not null)
        {
            _file = new ReadingsFile(folder, LostCpuStream.FileName, LostCpuStream.Header);
        }
    }

    /// <summary>Takes a reading if one is due.</summary>
    /// <param name="elapsed">The time since the recording began.</param>
    public void Sample(TimeSpan elapsed)
    {
        if (elapsed >= _next)
        {
            _next = elapsed + Beat;
            Write();
        }
    }

    /// <summary>Takes the last reading.</summary>
    public void Dispose()
    {
        Write();
        _file?.Dispose();
    }

    private void Write()
    {
        var now = MonotonicClock.NowNs;
        if (_file is { IsOpen: true } && LostCpuTime.Read(_proc) is { } lost)
        {
            _file.Write($"{now},{lost.StolenNs},{lost.InterruptsNs}");
        }
    }
}
