using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents;

/// <summary>Reads a scheduler recording: sched.perf.data, with sched.meta.json if the recorder never completed
/// it.</summary>
public static class PerfDataReader
{
    // 73 years of uptime; leaves room for two flag bits beside a time.
    private const long LatestTime = (1L << 61) - 1;

    /// <summary>Sends every event to the sink, in order of time. It streams: memory does not grow with the
    /// file.</summary>
    /// <param name="folder">The capture's folder.</param>
    /// <exception cref="FileNotFoundException">The folder has no recording.</exception>
    /// <exception cref="InvalidDataException">The file does not show which events were recorded. The message is for the
    /// user.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between records.</exception>
    public static PerfDataSummary Read(string folder, ISchedulerEvents sink, CancellationToken cancellationToken = default) =>
        Read(folder, sink, long.MinValue, long.MaxValue, cancellationToken);

    /// <summary>Sends every event to the sink, and treats a record outside a time range as damage.</summary>
    /// <param name="earliestNs">No record can be older, except those without a time.</param>
    /// <param name="latestNs">No record can be newer.</param>
    /// <inheritdoc cref="Read(string, ISchedulerEvents, CancellationToken)"/>
    public static PerfDataSummary Read(
        string folder, ISchedulerEvents sink, long earliestNs, long latestNs, CancellationToken cancellationToken = default) =>
        Read(folder, sink, earliestNs, latestNs, byAnyTool: false, cancellationToken);

    /// <summary>Sends every event to the sink, even from a file that Poolscope did not record.</summary>
    /// <param name="byAnyTool">True if `perf record` wrote it, not Poolscope.</param>
    /// <inheritdoc cref="Read(string, ISchedulerEvents, long, long, CancellationToken)"/>
    public static PerfDataSummary Read(
        string folder, ISchedulerEvents sink, long earliestNs, long latestNs, bool byAnyTool, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sink);
        using var file = new PerfDataFile(folder, byAnyTool);
        return Read(file, sink, earliestNs, latestNs, cancellationToken);
    }

    internal static PerfDataSummary Read(
        PerfDataFile file, ISchedulerEvents sink, long earliestNs, long latestNs, CancellationToken cancellationToken)
    {
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var records = new RecordBatches(enough.Token);
        var finder = new RecordFinder(file, records, Math.Max(earliestNs, 1), Math.Min(latestNs, LatestTime));
        var dispatch = new RecordDispatch(file, sink, finder.LastBeforeGap);
        var finding = new FinderThread(finder, records, enough);
        finding.Start();
        var damage = default(string);
        try
        {
            while (records.Next() is { } batch)
            {
                foreach (ref readonly var record in batch.Records.AsSpan(0, batch.Count))
                {
                    dispatch.Consume(record);
                }

                records.Return(batch);
            }
        }
        catch (InvalidDataException e)
        {
            damage = e.Message; // a record with a valid frame and invalid contents
        }
        finally
        {
            finding.End(); // before the file is closed
        }

        cancellationToken.ThrowIfCancellationRequested();
        damage ??= finder.Damage;
        dispatch.Finish(finder.UndatedLosses);
        return new PerfDataSummary(
            dispatch.Events, dispatch.Lost, dispatch.FirstNs, dispatch.LastNs, file.IsCut || !finding.ReachedEnd || damage is not null, file.Length)
        {
            OnlyPid = file.OnlyPid,
            Damage = damage,
            HasSockets = file.Events.HasSockets,
        };
    }

    internal static InvalidDataException Damaged(string what, long at) => new(At(what, at));

    internal static string At(string what, long at) => $"{what} at byte {at}";
}
