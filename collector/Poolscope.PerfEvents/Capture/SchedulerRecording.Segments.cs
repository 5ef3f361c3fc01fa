using System.Diagnostics;
using Poolscope.PerfEvents.Capture.Rings;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents;

/// <content>An endless recording is cut into segments. Consecutive segments can be joined into one file.</content>
public sealed partial class SchedulerRecording
{
    private readonly SchedulerMeta _meta;
    private string _segmentPath;
    private long _segmentFrom;
    private long _segmentStartNs;
    private byte[] _existing;
    private long _eventsBefore;
    private long _lostBefore;

    /// <summary>Switches to another file without a gap: each record is in exactly one of the files. Each file is a
    /// perf.data file whose header is not completed.</summary>
    /// <param name="path">Path of the next file.</param>
    /// <returns>The segment since the previous cut.</returns>
    /// <exception cref="IOException">The file cannot be created, or the recording has ended.</exception>
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

            // After the cut, so that births in the meantime are in the new file.
            var existing = new RecordBuilder(_recorded[0].Ids[0]);
            ExistingThreads.Describe(existing, _mappingsOf, _onlyPid);
            (_existing, _segmentStartNs) = (existing.Records.ToArray(), Stopwatch.GetTimestamp());
            return segment;
        }
    }

    /// <summary>Joins consecutive segments into one recording, such as <see cref="Stop"/> leaves.</summary>
    /// <param name="folder">Receives <see cref="DataFileName"/> and <see cref="MetaFileName"/>.</param>
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

/// <summary>A part of a recording, in its own file.</summary>
/// <param name="Path">Path of the file.</param>
/// <param name="From">Offset of its first record, bytes.</param>
/// <param name="To">Offset of the end of its records, bytes.</param>
/// <param name="StartNs">CLOCK_MONOTONIC ns. Later records are in this segment or a later one, and existing threads are
/// described.</param>
/// <param name="EndNs">CLOCK_MONOTONIC ns. Earlier records are in this segment or an earlier one.</param>
/// <param name="Events">Number of scheduler events and CPU samples.</param>
/// <param name="Lost">Number of events that the kernel dropped.</param>
/// <param name="Existing">Records that describe the threads that existed when the segment began.</param>
/// <param name="Closed">Completes when the file is written.</param>
public sealed record SchedulerSegment(
    string Path, long From, long To, long StartNs, long EndNs, long Events, long Lost, ReadOnlyMemory<byte> Existing, Task Closed);
