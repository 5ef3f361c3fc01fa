using System.Runtime.InteropServices;
using Poolscope.Decode.Captures;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Events;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Pool;
using Poolscope.Decode.Runtime;
using Poolscope.Decode.Scheduler;
using Poolscope.Decode.Stacks;
using Poolscope.Etw.Reading;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>A Windows trace, which holds the events of both runtime and kernel in one file, as a source of events for
/// the tables.</summary>
internal sealed class EtwStream : IRuntimeEventStream
{
    /// <summary>Name of the trace in a capture recorded on Windows.</summary>
    public const string RecordedFile = "kernel.etl";

    /// <summary>Name of the file that Windows converts the trace to. Any system can then read it.</summary>
    public const string DigestFile = "kernel.etlx";

    private const int ContentionStart = 81;
    private const int WaitHandleWaitStart = 301;

    private static readonly Guid Clr = Guid.Parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

    private readonly EventDecoder _decoder;
    private readonly MethodMap _methods = new();
    private readonly MethodEvents _methodEvents;
    private readonly NativeModules _native = new(symbols: null);
    private readonly StackTables _stacks;
    private readonly WaitStacks _waits = new();
    private readonly List<Frame> _names = [];
    private readonly Table _snapshots = Table.Create("snapshots");
    private bool _kernel;
    private bool _anyStack;
    private bool _namesMethods;

    public EtwStream(int pid, long windowStart, long windowEnd, int? version = null)
    {
        _methodEvents = new MethodEvents(_methods);
        _stacks = new StackTables(new FrameNames(_methods, _native, lines: null));
        Scheduler = new SchedulerTables(pid, windowStart, windowEnd, _native) { Origin = StateOrigin.Etw };
        Runtime = new RuntimeTables(version);
        _decoder = new EventDecoder(Runtime);
    }

    public RuntimeTables Runtime { get; }

    public SchedulerTables Scheduler { get; }

    /// <summary>Returns the path of a capture's trace; null if the capture has none.</summary>
    /// <exception cref="DecodeException">The trace was not copied with the capture, so there are no events to
    /// decode.</exception>
    public static string? Find(Capture capture, CaptureManifest manifest)
    {
        var told = manifest.Streams.Where(s => s.Tier == StreamTiers.Etw).Select(s => s.File).ToList();
        var found = told.Append(RecordedFile).Append(DigestFile).FirstOrDefault(capture.Has);
        return found is null && told.Count > 0
            ? throw new DecodeException($"{told[0]} is not there: put it back beside the capture, and decode again")
            : found;
    }

    /// <summary>Reads the trace and adds it to the capture's coverage.</summary>
    /// <exception cref="DecodeException">The trace is damaged.</exception>
    public static EtwStream Read(
        Capture capture, string file, TargetInfo target, IProgress<string>? progress, CancellationToken cancellation)
    {
        var byTraceEvent = true;
        try
        {
            using var trace = TraceFile.Open(capture.PathOf(file), capture.PathOf(DigestFile), progress);
            byTraceEvent = !trace.HasAddresses;
            progress?.Report($"{Path.GetFileName(trace.Path)}: reading process {target.Pid}");

            var (start, end) = capture.WindowOf(file) ?? (trace.WorkItemsFromNs(target.Pid), trace.LastNs);
            var stream = new EtwStream(target.Pid, start, end, target.RuntimeMajor) { _namesMethods = trace.HasAddresses };
            var read = trace.Read(target.Pid, stream.Scheduler, stream, WantsStack, cancellation);
            stream._kernel = read.Switches > 0;
            stream.Scheduler.Finish(read.Cut ? trace.LastNs : long.MaxValue);
            AddCoverage(capture, file, start, trace.LastNs, read);
            stream.Finish(target, start);
            return stream;
        }
        catch (Exception e) when (e is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            throw new DecodeException(e.Message, e);
        }
        catch (Exception e) when (byTraceEvent && e is not (OperationCanceledException or DecodeException))
        {
            // TraceEvent does not validate its input, and throws arbitrary exceptions on a damaged file.
            throw new DecodeException($"{file} is damaged: {(e is OutOfMemoryException ? "reading it takes more memory than a trace of its size does" : e.GetType().Name)}", e);
        }
    }

    /// <summary>Completes the rows that are open at the end of the trace.</summary>
    public void Finish(TargetInfo target, long start)
    {
        if (_kernel)
        {
            var threads = new ThreadExits(Scheduler.Threads);
            Runtime.Finish(target, start, threads.Of, Scheduler.RunningIntervals);
            Runtime.NameOwners(start, threads.LivedAt);
        }
        else
        {
            Runtime.Finish(target, start, exit: static (_, _) => -1, running: null);
            Runtime.NameOwners(start);
        }

        Runtime.Waits.AddStacks(_waits);
    }

    public IEnumerable<Table> Tables(int pid) =>
    [
        .. _kernel
            ? [Scheduler.Switches, Scheduler.Wakeups, Scheduler.CpuSamples, Scheduler.Threads, Scheduler.ThreadStates]
            : new[] { Runtime.Threads.ToTable(pid) },
        .. Scheduler.HasReportedSockets ? new[] { Scheduler.ReportedSockets, Scheduler.SocketReports } : [],
        .. Runtime.Tables(),
        .. _anyStack ? new[] { _stacks.Stacks, _stacks.Frames } : [],
        .. _snapshots.Count > 0 ? new[] { _snapshots } : [],
    ];

    public void Event(Guid provider, int id, long time, int tid, Guid activity, Guid related, int pointerSize, ReadOnlySpan<byte> payload)
    {
        var e = new RawEvent(provider, id, time, tid, pointerSize, payload, threads: null, activity, related);
        _decoder.Decode(e);
        if (_namesMethods)
        {
            _methodEvents.Decode(e);
        }
    }

    public void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<TraceFrame> frames)
    {
        _waits.Add(tid, id == ContentionStart, time, Intern(frames));
    }

    public void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<ulong> addresses) =>
        _waits.Add(tid, id == ContentionStart, time, Intern(addresses, time));

    public void BlockedAt(long since, int tid, ReadOnlySpan<TraceFrame> frames) => AddBlock(since, tid, Intern(frames));

    public void BlockedAt(long since, int tid, ReadOnlySpan<ulong> addresses) => AddBlock(since, tid, Intern(addresses, since));

    private void AddBlock(long since, int tid, int stack)
    {
        _snapshots.Int64("time").Add(since);
        _snapshots.Int32("tid").Add(tid);
        _snapshots.Int32("stack").Add(stack);
    }

    private int Intern(ReadOnlySpan<ulong> addresses, long time)
    {
        _anyStack = true;
        return _stacks.Intern(MemoryMarshal.AsBytes(addresses), time);
    }

    private int Intern(ReadOnlySpan<TraceFrame> frames)
    {
        _names.Clear();
        foreach (var frame in frames)
        {
            _names.Add(frame.Method is null ? Frame.Unresolved : new Frame(frame.Method, frame.Module, FrameKnown.Method, Line: null));
        }

        _anyStack = true;
        return _stacks.Intern(_names);
    }

    /// <summary>Marks the kernel as recorded, for a test that has no trace.</summary>
    internal void KernelWasRecorded() => _kernel = true;

    private static bool WantsStack(Guid provider, int id) => id is ContentionStart or WaitHandleWaitStart && provider == Clr;

    private static void AddCoverage(Capture capture, string file, long start, long end, TraceSummary read)
    {
        var stream = capture.Add(file, StreamTiers.Etw, start, end, read.Events, read.Lost, read.Cut, damage: read.Damage);
        if (read.Losses.Count > 0)
        {
            capture.Tables.AddEtwLosses(stream, read.Losses);
        }
        else if (stream.Lost > 0)
        {
            capture.Tables.AddEtwLoss(stream);
        }

        if (stream.Cut)
        {
            capture.AddEnd(stream);
        }
    }
}
