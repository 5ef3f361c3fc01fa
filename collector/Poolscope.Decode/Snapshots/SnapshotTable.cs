using Poolscope.Decode.Captures;
using Poolscope.Decode.Files;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Stacks;
using Poolscope.Tables;

namespace Poolscope.Decode.Snapshots;

/// <summary>Table `snapshots`. The profiler may sample a thread several times before its session is closed; only the
/// first sample of each thread is kept.</summary>
internal sealed class SnapshotTable
{
    private const string Extension = ".nettrace";
    private const string SampleProfiler = "Microsoft-DotNETCore-SampleProfiler";

    private readonly StackTables _stacks;
    private readonly HashSet<int> _seen = [];
    private long _walked;
    private readonly Column<long> _time;
    private readonly Column<int> _tid;
    private readonly Column<int> _stack;

    public SnapshotTable(StackTables stacks)
    {
        _stacks = stacks;
        _time = Table.Int64("time");
        _tid = Table.Int32("tid");
        _stack = Table.Int32("stack");
    }

    public Table Table { get; } = Table.Create("snapshots");

    /// <summary>The moments of the snapshots; null if the capture does not record them.</summary>
    public Table? Moments { get; private set; }

    /// <summary>Reads every snapshot of the folder and adds them to the capture's coverage as one stream.</summary>
    public void Read(Capture capture, string folder, IProgress<string>? progress, CancellationToken cancellation)
    {
        var (first, last, events, lost) = (-1L, -1L, 0L, 0L);
        var moments = capture.Has(SnapshotMoment.FileName) ? new SnapshotMomentTable(CaptureLines.Of(capture.PathOf(SnapshotMoment.FileName))) : null;
        var files = Directory.GetFiles(capture.PathOf(folder), "*" + Extension);

        // In order of time; numbers beyond 9999 have more digits.
        foreach (var file in files.OrderBy(f => f.Length).ThenBy(f => f, StringComparer.Ordinal))
        {
            var bounds = capture.BoundsOf(folder);
            var summary = NettraceReader.Read(file, bounds, handler: null, progress, cancellation);
            first = first < 0 ? summary.FirstNs : first;
            last = Math.Max(last, summary.LastNs);
            events += summary.Events;
            lost += summary.Lost;
            capture.AddSnapshotLosses(folder, Path.GetFileName(file), summary, progress);
            _seen.Clear();
            _walked = -1;
            NettraceStackReader.Read(file, bounds, Add, cancellation);
            moments?.AddFile(Path.GetFileName(file), _walked, _seen.Count);
        }

        Moments = moments?.ToTable();

        // A snapshot cut by the target's exit does not make the others incomplete.
        capture.Add(folder, StreamTiers.Eventpipe, first, last, events, lost, cut: false);
    }

    private void Add(EventKind kind, int tid, long time, ReadOnlySpan<byte> stack)
    {
        if (kind is { Provider: SampleProfiler, EventId: 0 } && _seen.Add(tid))
        {
            _walked = _walked < 0 ? time : Math.Min(_walked, time);
            _time.Add(time);
            _tid.Add(tid);
            _stack.Add(_stacks.Intern(stack, time));
        }
    }
}

/// <summary>Table `snapshots` of a file that another tool recorded with the runtime's profiler on, with one row per
/// sample. The profiler stops all threads at a fixed interval, 10 ms by default, and takes one sample of
/// each.</summary>
internal sealed class SampledStacks(StackTables stacks)
{
    private const string SampleProfiler = "Microsoft-DotNETCore-SampleProfiler";

    public Table Table { get; } = Table.Create("snapshots");

    public void Add(EventKind kind, int tid, long time, ReadOnlySpan<byte> stack)
    {
        if (kind is { Provider: SampleProfiler, EventId: 0 })
        {
            Table.Int64("time").Add(time);
            Table.Int32("tid").Add(tid);
            Table.Int32("stack").Add(stacks.Intern(stack, time));
        }
    }
}
