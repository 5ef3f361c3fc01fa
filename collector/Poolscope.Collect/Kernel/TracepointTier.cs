using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>Scheduler tracepoints of all CPUs, through perf_event_open.</summary>
public sealed class TracepointTier : IKernelTier
{
    public string Name => "tracepoint";

    public KernelAccess Probe()
    {
        var probe = TracepointAccess.Probe();
        return new KernelAccess(probe.Available, probe.Why, probe.How);
    }

    public IKernelStream Start(string folder, long maxBytes, int targetPid)
    {
        try
        {
            return new Stream(Name, SchedulerRecording.Start(new SchedulerRecordingOptions(folder) { MaxBytes = maxBytes, TargetPid = targetPid }));
        }
        catch (SchedulerRefusedException refused)
        {
            throw new KernelRefusedException(refused.Why, refused.How, refused);
        }
    }

    private sealed class Stream(string tier, SchedulerRecording recording) : IKernelStream
    {
        public string FileName => SchedulerRecording.DataFileName;

        public string Tier => tier;

        public long StartNs => recording.StartNs;

        public KernelProgress Progress
        {
            get
            {
                var progress = recording.Progress;
                return new KernelProgress(progress.Events, progress.Bytes, progress.Lost, progress.ReachedMaxBytes);
            }
        }

        public string? Failure => recording.Failure;

        public void Stop() => recording.Stop();

        public void Dispose() => recording.Dispose();
    }
}
