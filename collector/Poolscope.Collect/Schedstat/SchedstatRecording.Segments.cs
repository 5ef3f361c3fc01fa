using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Decode.Schedstat;

namespace Poolscope.Collect.Schedstat;

/// <content>A poll without an end is cut into segments; any that follow one another are joined to one file.</content>
internal sealed partial class SchedstatRecording
{
    private static readonly TimeSpan CutLook = TimeSpan.FromMilliseconds(100);

    private volatile TaskCompletionSource<KernelSegment>? _cut;
    private SchedstatWriter? _next;
    private long _segmentStartNs;

    public KernelSegment Cut(string folder)
    {
        _next = new SchedstatWriter(folder, _step, MonotonicClock.NowNs, _pid);
        var cut = _cut = new TaskCompletionSource<KernelSegment>(TaskCreationOptions.RunContinuationsAsynchronously);
        while (!cut.Task.Wait(CutLook))
        {
            if (!_thread.IsAlive && !cut.Task.IsCompleted)
            {
                _next.Dispose();
                throw new IOException(Failure ?? "the recording has ended");
            }
        }

        return cut.Task.Result;
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

    /// <summary>Called on the polling thread, after a pass.</summary>
    private void CutIfAsked()
    {
        if (_cut is not { } cut)
        {
            return;
        }

        _cut = null;
        var (before, now) = (_writer, MonotonicClock.NowNs);
        before.Dispose();
        _writer = _next!;
        _poll.GoOnIn(_writer);
        var start = _segmentStartNs;
        _segmentStartNs = now;
        cut.SetResult(new KernelSegment(start, now, before.Bytes, before.Records, 0, before.Path));
    }
}
