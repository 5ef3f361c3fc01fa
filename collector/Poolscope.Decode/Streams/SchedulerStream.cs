using Poolscope.Decode.Captures;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Scheduler;
using Poolscope.Decode.Sockets;
using Poolscope.Decode.Stacks;
using Poolscope.Decode.WorkItems;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>The Linux scheduler's stream of a capture, decoded into tables.</summary>
internal sealed class SchedulerStream : IThreadStates
{
    private const string Tier = "tracepoint";

    private readonly SchedulerTables _tables;

    private readonly bool _hasSockets;

    private SchedulerStream(SchedulerTables tables, NativeModules native, bool hasSockets) => (_tables, Native, _hasSockets) = (tables, native, hasSockets);

    /// <summary>The target's native modules.</summary>
    public NativeModules Native { get; }

    public bool HasSamples => _tables.CpuSamples.Count > 0;

    public Table Threads => _tables.Threads;

    public IEnumerable<Table> Tables() =>
        _tables.Tier == Tier
            ? [_tables.Switches, _tables.Wakeups, _tables.CpuSamples, _tables.Threads, _tables.ThreadStates, .. _hasSockets ? [_tables.Sockets, _tables.SocketTransfers] : Array.Empty<Table>()]
            : HasSamples
                ? [_tables.CpuSamples, _tables.Threads, _tables.ThreadStates]
                : [_tables.Threads, _tables.ThreadStates]; // other tables were not recorded, which is not the same as empty

    /// <summary>Adds the stacks of the target's CPU samples.</summary>
    public void AddStacks(StackTables stacks) => _tables.AddStacks(stacks);

    public RunningIntervals? Running => _tables.RunningIntervals;

    public long LastTransfer(int tid, long until) => _tables.LastTransfer(tid, until);

    /// <summary>Reads the stream and adds it to the capture's coverage.</summary>
    /// <param name="open">Connections that were open when the stream began.</param>
    /// <param name="early">Receives each large table as soon as it is complete, on any thread; the table need not keep
    /// its rows afterwards. If null, no table is delivered early.</param>
    /// <returns>The stream; null if the capture has none, or if it is damaged. Coverage then reports the damaged stream
    /// as cut, and its data is not used.</returns>
    public static SchedulerStream? Read(
        Capture capture, TargetInfo target, IReadOnlyList<OpenConnection> open, Action<Table>? early, IProgress<string>? progress, CancellationToken cancellation)
    {
        const string file = SchedulerRecording.DataFileName;
        if (!capture.Has(file))
        {
            return null;
        }

        progress?.Report($"{file}: reading");
        try
        {
            return Read(capture, file, target, open, early, progress, cancellation);
        }
        catch (InvalidDataException e) when (capture.IsEmpty(file))
        {
            progress?.Report(e.Message);
            capture.AddEnd(capture.Add(file, Tier, -1, -1, events: 0, lost: 0, cut: true));
            return null;
        }
        catch (Exception e) when (e is InvalidDataException or FileNotFoundException)
        {
            capture.AddUnreadable(file, Tier, e.Message, progress);
            return null;
        }
    }

    private static SchedulerStream Read(
        Capture capture, string file, TargetInfo target, IReadOnlyList<OpenConnection> open, Action<Table>? early, IProgress<string>? progress, CancellationToken cancellation)
    {
        var bounds = capture.BoundsOf(file);
        var window = capture.WindowOf(file) ?? Extent(capture, bounds, cancellation);
        var native = new NativeModules(capture.RanHereAt is { } since ? new ElfSymbols(since) : null);
        var tables = new SchedulerTables(target.Pid, window.Start, window.End, native) { OpenBefore = open };
        var read = PerfDataReader.Read(capture.Folder, tables, bounds.FromNs, bounds.ToNs, capture.IsMade, cancellation);
        Finish(tables, read, early, cancellation);

        var stream = capture.Add(file, tables.Tier, read.FirstNs, read.LastNs, read.Events, read.Lost, read.Cut, ScopeOf(tables.Tier, read.OnlyPid), read.Damage);
        tables.AddLosses(capture.Tables.Losses, isDamaged: read.Damage is not null); // includes the missing part of the window
        if (read.Cut && read.LastNs >= window.End)
        {
            capture.AddEnd(stream, progress);
        }

        return new SchedulerStream(tables, native, read.HasSockets);
    }

    /// <summary>Computes the states, and meanwhile writes the tables that do not depend on them.</summary>
    private static void Finish(SchedulerTables tables, PerfDataSummary read, Action<Table>? early, CancellationToken cancellation)
    {
        _ = SideBySide.Run(
            _ =>
            {
                tables.Finish(read.Cut ? read.LastNs : long.MaxValue, onlyTarget: read.OnlyPid is not null);
                return true;
            },
            _ =>
            {
                if (early is not null && tables.Tier == Tier)
                {
                    early(tables.Wakeups);
                    early(tables.Switches);
                }

                return true;
            },
            cancellation);
        early?.Invoke(tables.ThreadStates);
    }

    /// <summary>Returns the scope of the stream; null if the tier has only one.</summary>
    private static string? ScopeOf(string tier, int? onlyPid) => tier != Tier ? null : onlyPid is null ? "system" : "target";

    /// <summary>Returns the first and last event time. Used if the collector was killed before it recorded the stream's
    /// start and end.</summary>
    private static (long Start, long End) Extent(Capture capture, StreamBounds bounds, CancellationToken cancellation)
    {
        var read = PerfDataReader.Read(capture.Folder, new NoTables(), bounds.FromNs, bounds.ToNs, capture.IsMade, cancellation);
        return (read.FirstNs, read.LastNs);
    }

    /// <summary>Ignores all events, for a first pass that reads only their times.</summary>
    private sealed class NoTables : ISchedulerEvents;
}
