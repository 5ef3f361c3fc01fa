using System.Buffers.Binary;
using Poolscope.Decode.Counters;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Etw.Capture;

namespace Poolscope.Decode.Import;

/// <summary>What a .nettrace file shows of its process and of its own recording, found by reading the file once. Times
/// are ns of the file's clock.</summary>
internal sealed class TraceContents
{
    internal const string ProcessProvider = "Microsoft-DotNETCore-EventPipe";
    internal const string RundownProvider = "Microsoft-Windows-DotNETRuntimeRundown";
    private const string ProfilerProvider = "Microsoft-DotNETCore-SampleProfiler";
    private const int RuntimeInformation = 187;
    private const int ProcessInformation = 1;
    private const int Enqueue = 30;
    private const int Dequeue = 31;
    private const int WorkerStart = 50;
    private const int LastOfPool = 59;

    // RuntimeInformation: ClrInstanceID, Sku, then major, minor, build and revision of the class library, all u16.
    private const int SkuOffset = 2;
    private const int VersionOffset = 4;
    private const int VersionEnd = 12;

    private static readonly Guid Process = Id(ProcessProvider);
    private static readonly Guid Rundown = Id(RundownProvider);
    private static readonly Guid Profiler = Id(ProfilerProvider);
    private static readonly Guid Clr = Id(RuntimeEvents.Clr);
    private static readonly Guid Framework = Id(RuntimeEvents.Framework);
    private static readonly Guid Counters = Id(CounterEvents.Provider);
    private static readonly Guid Kernel = Id(KernelEvents.Provider);
    private static readonly Guid UniversalEvents = Id(KernelEvents.SamplesProvider);
    private static readonly Guid UniversalSystem = Id(KnownEvents.System);

    private readonly HashSet<int> _threads = [];
    private long _last = -1;
    private long _stopped = -1;
    private long _wideIds;

    /// <summary>The file's header.</summary>
    public required NettraceHeader Header { get; init; }

    /// <summary>The processes and the kernel's events in a file of several processes; null otherwise.</summary>
    public TraceSurvey? Survey { get; private init; }

    /// <summary>The kernel's name of the process; empty if not reported.</summary>
    public string ProcessName { get; private init; } = "";

    /// <summary>The first moment of the recording: the start of its session.</summary>
    public long StartNs => Header.SyncNs;

    /// <summary>The last moment of the recording: the stop of its session, after which the rundown follows. For a cut
    /// file, its last event.</summary>
    public long EndNs => Math.Max(StartNs, Math.Max(_last, _stopped));

    /// <summary>Whether the file ends as its writer intended.</summary>
    public bool IsWhole { get; private set; }

    /// <summary>Whether the file lists the methods of the process.</summary>
    public bool HasRundown => _stopped >= 0;

    public string CommandLine { get; private set; } = "";

    /// <summary>Linux, Windows, macOS or Unknown; empty if the file is cut before it reports the system.</summary>
    public string Os { get; private set; } = "";

    public string Architecture { get; private set; } = "";

    /// <summary>The version as major.minor.build; null if not reported.</summary>
    public Version? Runtime { get; private set; }

    /// <summary>Whether the process ran .NET Framework.</summary>
    public bool IsFramework { get; private set; }

    /// <summary>Whether the session existed before the process's first instruction.</summary>
    public bool FromStart { get; private set; }

    public long WorkItems { get; private set; }

    /// <summary>Whether most ids of work items are wider than a hash code of 32 bits, and so are addresses of objects.
    /// Pointers of 32 bits do not show it.</summary>
    public bool NamesItemsByAddress => _wideIds > WorkItems / 2;

    public long PoolEvents { get; private set; }

    /// <summary>Work items that ended, by the runtime's own counter; 0 if it was not recorded or none ended.</summary>
    public long CountedItems { get; private set; }

    public long Events { get; private set; }

    /// <summary>The number of lost events according to the file.</summary>
    public long Lost { get; private set; }

    /// <summary>The ids of the threads that wrote events, as the process sees them.</summary>
    public IReadOnlySet<int> Threads => _threads;

    /// <summary>Moments at which these threads wrote events.</summary>
    public Moments Moments { get; } = new();

    /// <summary>Reads a file that <see cref="ForeignFile.RequireNettrace"/> accepted.</summary>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    /// <param name="pid">The process to read if the file holds several; null if not chosen.</param>
    /// <param name="name">The kernel's name of the process to read; null if not chosen.</param>
    /// <exception cref="CaptureRefusedException">The file is unreadable, or holds no such process.</exception>
    /// <exception cref="ProcessNotChosenException">The file holds several processes, and none was chosen.</exception>
    public static TraceContents Read(string path, int? pid, string? name, IProgress<string>? progress, CancellationToken cancellation)
    {
        var bounds = StreamBounds.None with { AnyProvider = true };
        var header = NettraceFile.ReadHeader(path, bounds, out var damage);
        if (header is null)
        {
            throw new CaptureRefusedException($"{path} cannot be read: {damage ?? "it ends before its header does"}");
        }

        var contents = new TraceContents { Header = header };
        if (header.Version == NettraceHeader.SeveralProcesses)
        {
            var survey = TraceSurvey.Read(path, bounds, cancellation);
            var process = survey.Choose(path, pid, name);
            bounds = bounds with { ProcessId = process.Id };
            contents = new TraceContents
            {
                Header = header with { ProcessId = process.Id },
                Survey = survey,
                ProcessName = process.Name,
                Os = survey.IsOfOneCollect ? "Linux" : "",
            };
        }

        var read = NettraceReader.Read(path, bounds, contents.Take, progress, cancellation);
        contents.IsWhole = !read.Cut;
        contents.Lost = read.Lost;
        return contents.Events > 0
            ? contents
            : throw new CaptureRefusedException($"{path} holds no event{(read.Damage is { } found ? $": {found}" : "")}");
    }

    private void Take(in RawEvent e)
    {
        Events++;
        if (e.Provider == Kernel || e.Provider == UniversalEvents || e.Provider == UniversalSystem)
        {
            _last = Math.Max(_last, e.Time);
            return;
        }

        if (e.Provider == Rundown)
        {
            _stopped = _stopped < 0 ? e.Time : Math.Min(_stopped, e.Time);
            AddVersion(e, started: false);
            return;
        }

        if (e.Provider == Process)
        {
            AddProcess(e);
            return;
        }

        _last = Math.Max(_last, e.Time);
        _threads.Add(e.Tid);
        if (e.Provider != Profiler) // a single thread writes the samples of all threads
        {
            Moments.Add(e.Tid, e.Time);
        }

        if (e.Provider == Framework)
        {
            AddWorkItem(e);
        }
        else if (e.Provider == Clr)
        {
            PoolEvents += e.Id is >= WorkerStart and <= LastOfPool ? 1 : 0;
            AddVersion(e, started: true);
        }
        else if (e.Provider == Counters && RuntimeCounterEvents.Read(e.Payload) is { Name: CounterEvents.Completed } completed)
        {
            CountedItems += (long)completed.Value;
        }
    }

    private void AddWorkItem(in RawEvent e)
    {
        if (e.Id is not (Enqueue or Dequeue))
        {
            return;
        }

        WorkItems++;
        if (e.Has(sizeof(long)) && BinaryPrimitives.ReadInt64LittleEndian(e.Payload) is < int.MinValue or > int.MaxValue)
        {
            _wideIds++;
        }
    }

    private void AddProcess(in RawEvent e)
    {
        if (e.Id == ProcessInformation && Utf16.TryRead(e.Payload, 0, out var command, out var next)
            && Utf16.TryRead(e.Payload, next, out var os, out next) && Utf16.TryRead(e.Payload, next, out var architecture, out _))
        {
            (CommandLine, Os, Architecture) = (command, os, architecture);
        }
    }

    private void AddVersion(in RawEvent e, bool started)
    {
        if (e.Id != RuntimeInformation || !e.Has(VersionEnd))
        {
            return;
        }

        FromStart |= started;
        IsFramework = e.UInt16(SkuOffset) == 1;
        Runtime = new Version(e.UInt16(VersionOffset), e.UInt16(VersionOffset + 2), e.UInt16(VersionOffset + 4));
    }

    private static Guid Id(string provider) => Microsoft.Diagnostics.Tracing.Session.TraceEventProviders.GetEventSourceGuidFromName(provider);
}
