using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Decode.Schedstat;
using Poolscope.PerfEvents.Capture.Writing;

namespace Poolscope.Collect.Schedstat;

/// <content>Cuts a poll without an end into segments, and joins consecutive ones into one file.</content>
internal sealed partial class SchedstatRecording
{
    private readonly CutRequests<SchedstatWriter, KernelSegment> _cuts = new();
    private long _segmentStartNs;

    public KernelSegment Cut(string folder)
    {
        var next = new SchedstatWriter(folder, _step, MonotonicClock.NowNs, _pid);
        try
        {
            return _cuts.Ask(next);
        }
        catch
        {
            next.Dispose();
            throw;
        }
    }

    public async Task<long> JoinAsync(string folder, IReadOnlyList<KernelSegment> segments)
    {
        var file = new FileStream(Path.Combine(folder, FileName), FileMode.CreateNew, FileAccess.Write, FileShare.Read);
        await using (file.ConfigureAwait(false))
        {
            for (var i = 0; i < segments.Count; i++)
            {
                var part = File.OpenRead((string)segments[i].Content);
                await using (part.ConfigureAwait(false))
                {
                    part.Position = i == 0 ? 0 : SchedstatFormat.HeaderBytes;
                    await part.CopyToAsync(file).ConfigureAwait(false);
                }
            }

            var (end, last) = (segments[^1].EndNs, new byte[SchedstatFormat.RecordBytes]);
            SchedstatFormat.Write(last, new SchedstatRecord(SchedstatRecordKind.Finished, _pid, end, end, 0, 0, 0, '?'));
            await file.WriteAsync(last).ConfigureAwait(false);
            return file.Position;
        }
    }

    /// <summary>Cuts the poll if another thread has requested it. The polling thread calls it after a pass.</summary>
    private void CutIfAsked()
    {
        if (_cuts.Next is not { } next)
        {
            return;
        }

        var (before, now) = (_writer, MonotonicClock.NowNs);
        before.Dispose();
        _writer = next;
        _poll.GoOnIn(_writer);
        var start = _segmentStartNs;
        _segmentStartNs = now;
        _cuts.Answer(new KernelSegment(start, now, before.Bytes, before.Records, 0, before.Path));
    }
}
