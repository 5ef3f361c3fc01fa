using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>A recording through perf_event_open, for any tier.</summary>
internal sealed class PerfStream(string tier, string? scope, SchedulerRecording recording) : IKernelStream
{
    public string FileName => SchedulerRecording.DataFileName;

    public string Tier => tier;

    public string? Scope => scope;

    public long StartNs => recording.StartNs;

    public KernelProgress Progress
    {
        get
        {
            var progress = recording.Progress;
            return new KernelProgress(progress.Events, progress.Bytes, progress.Lost, progress.ReachedMaxBytes, progress.CpuNs) { StalledNs = progress.StalledNs };
        }
    }

    public string? SocketsRefused => recording.SocketsRefused;

    public string? Failure => recording.Failure;

    public void Stop() => recording.Stop();

    public KernelSegment Cut(string folder)
    {
        var segment = recording.Cut(Path.Combine(folder, FileName));
        return new KernelSegment(segment.StartNs, segment.EndNs, segment.To, segment.Events, segment.Lost, segment);
    }

    public Task<long> JoinAsync(string folder, IReadOnlyList<KernelSegment> segments) =>
        recording.JoinAsync(folder, [.. segments.Select(segment => (SchedulerSegment)segment.Content)]);

    public void Dispose() => recording.Dispose();
}
