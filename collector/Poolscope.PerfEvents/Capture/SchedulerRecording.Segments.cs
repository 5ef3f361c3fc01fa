using System.Diagnostics;
using Poolscope.PerfEvents.Capture.Rings;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents;

/// <content>A recording without an end is cut into segments; any that follow one another are joined to one file.</content>
public sealed partial class SchedulerRecording
{
    private readonly SchedulerMeta _meta;
    private string _segmentPath;
    private long _segmentFrom;
    private long _segmentStartNs;
    private byte[] _existing;
    private long _eventsBefore;
    private long _lostBefore;

    /// <summary>Goes over to another file, without a gap: no record is in both, and none in neither. Each file is a perf.data
    /// file whose header is not completed.</summary>
    /// <param name="path">Of the next file.</param>
    /// <returns>What was recorded since the cut before.</returns>
    /// <exception cref="IOException">The file cannot be made, or the recording has ended.</exception>
    public SchedulerSegment Cut(string path)
    {
        lock (_stopLock)
        {
            if (_final is not null || Failure is not null)
            {
                throw new IOException(Failure ?? "the recording has ended");
            }

            var next = new PerfDataWriter(path, _recorded);
            DrainCut cut;
            try
            {
                cut = _drain.Cut(next);
            }
            catch
            {
                next.Dispose();
                throw;
            }

            var segment = new SchedulerSegment(
                _segmentPath, _segmentFrom, cut.Bytes, _segmentStartNs, cut.TimeNs, cut.Events - _eventsBefore, cut.Lost - _lostBefore, _existing, cut.Closed);
            (_writer, _segmentPath, _segmentFrom, _eventsBefore, _lostBefore) = (next, path, next.DataOffset, cut.Events, cut.Lost);

            // After the cut: births that come meanwhile are in the new file.
            var existing = new RecordBuilder(_recorded[0].Ids[0]);
            ExistingThreads.Describe(existing, _mappingsOf, _onlyPid);
            (_existing, _segmentStartNs) = (existing.Records.ToArray(), Stopwatch.GetTimestamp());
            return segment;
        }
    }

    /// <summary>Makes one recording, such as <see cref="Stop"/> leaves, of segments that follow one another.</summary>
    /// <param name="folder">Gets <see cref="DataFileName"/> and <see cref="MetaFileName"/>.</param>
    /// <param name="segments">At least one, in order of time.</param>
    /// <returns>Size of the data file, bytes.</returns>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    public async Task<long> JoinAsync(string folder, IReadOnlyList<SchedulerSegment> segments)
    {
        ArgumentNullException.ThrowIfNull(segments);
        await Task.WhenAll(segments.Select(segment => segment.Closed)).ConfigureAwait(false);
        var start = segments[0].StartNs;
        var utc = DateTime.UtcNow - TimeSpan.FromTicks((Stopwatch.GetTimestamp() - start) / TimeSpan.NanosecondsPerTick);
        _meta.Save(Path.Combine(folder, MetaFileName));
        using var writer = new PerfDataWriter(Path.Combine(folder, DataFileName), _recorded);
        writer.Append(segments[0].Existing.Span);
        foreach (var segment in segments)
        {
            using var file = File.OpenHandle(segment.Path);
            writer.AppendFrom(file, segment.From, segment.To - segment.From);
        }

        writer.Complete(HostFeatures.Describe(_recorded, _tracingData, _rings.Count, (utc, start), segments[^1].EndNs));
        return writer.Position;
    }
}

/// <summary>A part of a recording, in a file of its own.</summary>
/// <param name="Path">The file.</param>
/// <param name="From">Where its records begin, bytes.</param>
/// <param name="To">Where they end.</param>
/// <param name="StartNs">CLOCK_MONOTONIC ns from which on all is in it or in a later one, and threads that existed are described.</param>
/// <param name="EndNs">Up to here all is in it, or in an earlier one.</param>
/// <param name="Events">Scheduler events and CPU samples.</param>
/// <param name="Lost">Events that the kernel dropped.</param>
/// <param name="Existing">Records that describe the threads that existed as it began.</param>
/// <param name="Closed">Completes when the file is written.</param>
public sealed record SchedulerSegment(
    string Path, long From, long To, long StartNs, long EndNs, long Events, long Lost, ReadOnlyMemory<byte> Existing, Task Closed);
