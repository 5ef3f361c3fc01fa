using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Reading;

/// <summary>An .etlx file: its processes, and its events in order of time.</summary>
public sealed class EtlxTrace : ITrace
{
    private const int EnqueueWork = 30;
    private const int DequeueWork = 31;

    private static readonly Guid Framework = Guid.Parse("8e9f5090-2d75-4d03-8a81-e5afbf85daf1");

    // Files converted from a nettrace have the GUID derived from the name.
    private static readonly Guid FrameworkByName = Guid.Parse("55289187-7f82-5b3d-82d7-eb779e673075");

    private readonly TraceLog _log;
    private readonly QpcClock _clock;
    private readonly Dictionary<int, long> _workItemsFrom = [];

    private EtlxTrace(string path, TraceLog log)
    {
        (Path, _log) = (path, log);
        var counts = new Dictionary<int, long>();
        var (first, last) = ((Ticks: 0L, Ms: 0.0), (Ticks: 0L, Ms: 0.0));
        var source = log.Events.GetSource();
        source.AllEvents += e =>
        {
            last = (Ticks(e), e.TimeStampRelativeMSec);
            first = first.Ticks == 0 ? last : first;
            if (!IsFramework(e.ProviderGuid))
            {
                return;
            }

            _workItemsFrom.TryAdd(e.ProcessID, last.Ticks); // an event source writes its manifest when it is enabled
            if ((int)e.ID is EnqueueWork or DequeueWork)
            {
                counts[e.ProcessID] = counts.GetValueOrDefault(e.ProcessID) + 1;
            }
        };
        source.Process();
        _clock = QpcClock.Between(first, last);
        (FirstNs, LastNs) = (_clock.Nanoseconds(first.Ticks), _clock.Nanoseconds(last.Ticks));

        // A reused id belongs to the process that ran longest.
        Processes = [.. log.Processes.Where(p => p.ProcessID > 0)
            .GroupBy(p => p.ProcessID)
            .Select(same => same.MaxBy(p => p.EndTimeRelativeMsec - p.StartTimeRelativeMsec)!)
            .Select(p => new TraceProcessInfo(p.ProcessID, p.Name, p.CommandLine, counts.GetValueOrDefault(p.ProcessID), RunsFramework(p)))];
    }

    public string Path { get; }

    public IReadOnlyList<TraceProcessInfo> Processes { get; }

    public long FirstNs { get; }

    public long LastNs { get; }

    public int Processors => _log.NumberOfProcessors;

    public int PointerSize => _log.PointerSize;

    public string MachineName => _log.MachineName;

    public string OsName => _log.OSName;

    public string OsBuild => _log.OSBuild;

    public long MemoryBytes => (long)_log.MemorySizeMeg << 20;

    public DateTime StartUtc => _log.SessionStartTime.ToUniversalTime();

    public bool HasAddresses => false;

    /// <exception cref="InvalidDataException">The file is not an .etlx or is damaged.</exception>
    public static EtlxTrace Open(string path)
    {
        TraceLog? log = null;
        try
        {
            return new EtlxTrace(path, log = new TraceLog(path));
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            log?.Dispose();
            throw new InvalidDataException($"{System.IO.Path.GetFileName(path)} cannot be read as an .etlx: it is damaged, or another version of PerfView or TraceEvent made it ({e.Message.ReplaceLineEndings(" ").TrimEnd('.')}); send the .etl or .nettrace that it was made from", e);
        }
    }

    public long WorkItemsFromNs(int pid) => _workItemsFrom.TryGetValue(pid, out var ticks) ? _clock.Nanoseconds(ticks) : FirstNs;

    public TraceSummary Read(
        int pid,
        ISchedulerEvents scheduler,
        IRuntimeEventStream runtime,
        Func<Guid, int, bool> stackOf,
        CancellationToken cancellation)
    {
        var names = Processes.ToDictionary(p => p.Pid, p => p.Name);
        foreach (var process in Processes)
        {
            // Threads and processes share one space of ids, so no thread has this id. Its name is the process's.
            scheduler.ThreadName(0, process.Pid, process.Pid, process.Name);
        }

        var source = _log.Events.GetSource();
        var pass = new TracePass(_log, _clock, pid, runtime, stackOf, cancellation);
        var kernel = new KernelTranslator(scheduler, names.GetValueOrDefault);
        foreach (var thread in _log.Threads.Where(t => t.StartTimeRelativeMSec <= 0 && t.Process.ProcessID > 0))
        {
            // Files that other tools converted omit the events that reported these threads.
            kernel.Exists(thread.Process.ProcessID, thread.ThreadID, name: null);
        }

        pass.Subscribe(source, kernel);
        source.Process();
        if (_log.EventsLost > 0)
        {
            scheduler.Lost(-1, -1, -1, _log.EventsLost); // the time is unknown: every state is uncertain
        }

        return new TraceSummary(pass.Events, _log.EventsLost, kernel.Switches, _log.Truncated);
    }

    public void Dispose() => _log.Dispose();

    private static bool IsFramework(Guid provider) => provider == Framework || provider == FrameworkByName;

    internal static long Ticks(TraceEvent e)
    {
#pragma warning disable CS0618 // "Not obsolete but discouraged": the raw tick is the clock of everything else.
        return e.TimeStampQPC;
#pragma warning restore CS0618
    }

    private static bool RunsFramework(TraceProcess process) =>
        process.LoadedModules.Any(m => string.Equals(m.Name, "clr", StringComparison.OrdinalIgnoreCase))
        && !process.LoadedModules.Any(m => string.Equals(m.Name, "coreclr", StringComparison.OrdinalIgnoreCase));
}
