using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Decode.Segments;

namespace Poolscope.Collect.Flight;

/// <summary>A stretch of a flight recording: a segment of each stream, in a separate folder, with the readings that the
/// collector took meanwhile.</summary>
internal sealed class RecorderSlot : IDisposable
{
    public const string RuntimeFile = "runtime.segment";
    public const string WaitsFile = "waits.segment";

    private readonly ThrottleRecorder _throttles;
    private readonly CapacityRecorder _capacity;
    private readonly LostCpuRecorder _lostCpu;
    private readonly ThreadIdRecorder _threadIds;

    /// <exception cref="IOException">The folder cannot be created.</exception>
    public RecorderSlot(string folder, ProcFs proc, int pid)
    {
        PrivateFiles.CreateFolder(folder);
        Folder = folder;
        BeganNs = MonotonicClock.NowNs;
        _throttles = new ThrottleRecorder(proc, pid, folder);
        _capacity = new CapacityRecorder(proc, pid, folder);
        _lostCpu = new LostCpuRecorder(proc, folder);
        _threadIds = new ThreadIdRecorder(proc, pid, folder);
    }

    public string Folder { get; }

    /// <summary>The time when the slot began, in CLOCK_MONOTONIC ns. Its streams begin within some tenths of a second
    /// from then.</summary>
    public long BeganNs { get; }

    /// <summary>The kernel's segment, or null if the slot has not ended or has no such stream.</summary>
    public KernelSegment? Kernel { get; set; }

    /// <summary>The runtime's segment, or null if the slot has not ended.</summary>
    public NettraceSegment? Runtime { get; set; }

    /// <summary>The segment of waits, or null if the slot has not ended or has no such stream.</summary>
    public NettraceSegment? Waits { get; set; }

    /// <summary>The time from which all streams of the slot are complete; estimated until the slot ends.</summary>
    public long StartNs => Runtime is { } runtime ? Math.Max(runtime.StartNs, Kernel?.StartNs ?? 0) : BeganNs;

    /// <summary>Takes the readings that are due.</summary>
    public void Sample()
    {
        _throttles.Sample();
        var elapsed = TimeSpan.FromTicks((MonotonicClock.NowNs - BeganNs) / TimeSpan.NanosecondsPerTick);
        _capacity.Sample(elapsed);
        _lostCpu.Sample(elapsed);
        _threadIds.Sample();
    }

    /// <summary>Ends the readings.</summary>
    public void Dispose()
    {
        _threadIds.Sample();
        _throttles.Dispose();
        _capacity.Dispose();
        _lostCpu.Dispose();
        _threadIds.Dispose();
    }

    /// <summary>Ends the slot and deletes its folder.</summary>
    public void Discard()
    {
        Dispose();
        try
        {
            Directory.Delete(Folder, recursive: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The next watcher deletes the folder.
        }
    }
}
