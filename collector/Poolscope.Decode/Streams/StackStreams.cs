using Poolscope.Decode.Captures;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Snapshots;
using Poolscope.Decode.Stacks;
using Poolscope.Decode.Waits;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>The streams of a capture that carry stacks or their names.</summary>
internal sealed class StackStreams
{
    private const string RuntimeFile = "runtime.nettrace";
    private const string SymbolsFile = "symbols.nettrace";
    private const string WaitsFile = "waits.nettrace";
    private const string SnapshotsFolder = "snapshots";
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const int ContentionStart = 81;
    private const int WaitHandleWaitStart = 301;

    private readonly StackTables _tables;
    private readonly WaitStacks _waits = new();
    private SnapshotTable? _snapshots;
    private Table? _sampled;
    private bool _any;

    private StackStreams(FrameNames names) => _tables = new StackTables(names);

    /// <summary>Reads the streams and adds them to the capture's coverage.</summary>
    /// <param name="samples">CPU samples and native modules of the kernel's stream; null if there is none.</param>
    /// <param name="runtime">Receives the threads that a rundown lists; null if there is no runtime stream.</param>
    /// <param name="lines">Finds source lines; null if the files on this machine are not those that ran.</param>
    public static StackStreams Read(
        Capture capture, SchedulerStream? samples, IThreadEvents? runtime, SourceLines? lines, IProgress<string>? progress, CancellationToken cancellation)
    {
        var methods = new MethodMap();
        var events = new MethodEvents(methods);

        // The order matters. A rundown may be older or newer than the code whose loading the waits stream recorded. If
        // both name an address, the method loaded during the waits stream is the one on its stacks.
        foreach (var file in new[] { SymbolsFile, WaitsFile }.Where(capture.Has))
        {
            progress?.Report($"{file}: methods");
            capture.Add(file, NettraceReader.Read(capture.PathOf(file), capture.BoundsOf(file), Decode, progress, cancellation), progress);
        }

        void Decode(in RawEvent e)
        {
            events.Decode(e);
            if (runtime is not null)
            {
                ThreadEvents.DecodeRundown(e, runtime);
            }
        }

        if (capture.IsMade && capture.Has(RuntimeFile))
        {
            progress?.Report($"{RuntimeFile}: methods");
            var listed = new ListedSymbols(methods);
            NettraceReader.Read(
                capture.PathOf(RuntimeFile),
                capture.BoundsOf(RuntimeFile),
                (in RawEvent e) =>
                {
                    events.Decode(e);
                    listed.Decode(e);
                },
                progress,
                cancellation);
        }

        var streams = new StackStreams(new FrameNames(methods, samples?.Native, lines));
        if (capture.IsMade && capture.Has(RuntimeFile))
        {
            streams.ReadMade(capture, progress, cancellation);
        }

        if (capture.Has(WaitsFile))
        {
            progress?.Report($"{WaitsFile}: stacks");
            streams._any = true;
            NettraceStackReader.Read(capture.PathOf(WaitsFile), capture.BoundsOf(WaitsFile), streams.AddWait, cancellation);
        }

        if (Directory.Exists(capture.PathOf(SnapshotsFolder)))
        {
            progress?.Report($"{SnapshotsFolder}: stacks");
            streams._any = true;
            streams._snapshots = new SnapshotTable(streams._tables);
            streams._snapshots.Read(capture, SnapshotsFolder, progress, cancellation);
        }

        if (samples is not null)
        {
            streams._any |= samples.HasSamples;
            samples.AddStacks(streams._tables);
        }

        return streams;
    }

    /// <summary>Sets the stack of each wait.</summary>
    public void Apply(WaitTable waits) => waits.AddStacks(_waits);

    /// <summary>Returns the tables; none if no stream carries stacks.</summary>
    public IEnumerable<Table> Tables() => _any
        ? new[] { _tables.Stacks, _tables.Frames, _snapshots?.Table, _snapshots?.Moments, _sampled }.OfType<Table>()
        : [];

    /// <summary>Reads the stacks of waits and of the profiler from the single file that another tool writes.</summary>
    private void ReadMade(Capture capture, IProgress<string>? progress, CancellationToken cancellation)
    {
        progress?.Report($"{RuntimeFile}: stacks");
        _any = true;
        var sampled = new SampledStacks(_tables);
        NettraceStackReader.Read(
            capture.PathOf(RuntimeFile),
            capture.BoundsOf(RuntimeFile),
            (kind, tid, time, stack) =>
            {
                AddWait(kind, tid, time, stack);
                sampled.Add(kind, tid, time, stack);
            },
            cancellation);
        _sampled = sampled.Table.Count > 0 ? sampled.Table : null;
    }

    private void AddWait(EventKind kind, int tid, long time, ReadOnlySpan<byte> stack)
    {
        if (kind is { Provider: Runtime, EventId: WaitHandleWaitStart or ContentionStart })
        {
            _waits.Add(tid, kind.EventId == ContentionStart, time, _tables.Intern(stack, time));
        }
    }
}
