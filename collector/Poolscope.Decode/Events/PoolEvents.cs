using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives the events of worker threads and of the pool's goal for them.</summary>
internal interface IPoolEvents
{
    /// <summary>A worker begins (runtime 50); its first event.</summary>
    void WorkerStart(long time, int tid);

    /// <summary>A worker ends after its idle timeout (51).</summary>
    void WorkerStop(long time, int tid);

    /// <summary>A worker found no work, spun, and is about to park (57).</summary>
    void WorkerPark(long time, int tid);

    /// <summary>The pool's thread goal changed (55).</summary>
    /// <param name="reason">Index into pool_changes.reason.</param>
    void PoolChange(long time, int tid, int goal, int reason, double throughput);

    /// <summary>Minimum and maximum worker threads were set (59).</summary>
    void PoolLimits(long time, int min, int max);

    /// <summary>Hill climbing took a sample (54).</summary>
    void HillClimbingSample(long time, double throughput);

    /// <summary>Hill climbing computed new statistics (56).</summary>
    void HillClimbingStats(long time, in HillClimbingStats stats);
}

/// <summary>Decodes events of the pool's worker threads, goal and hill climbing.</summary>
internal static class PoolEvents
{
    public static bool Decode(in RawEvent e, IPoolEvents sink)
    {
        switch (e.Id)
        {
            case 50:
                sink.WorkerStart(e.Time, e.Tid);
                return true;
            case 51:
                sink.WorkerStop(e.Time, e.Tid);
                return true;
            case 57:
                sink.WorkerPark(e.Time, e.Tid);
                return true;
            case 54 when e.Has(8):
                sink.HillClimbingSample(e.Time, e.Float64(0));
                return true;
            case 55 when e.Has(16):
                sink.PoolChange(e.Time, e.Tid, goal: e.Int32(8), reason: e.Int32(12), throughput: e.Float64(0));
                return true;
            case 56 when e.Has(74):
                sink.HillClimbingStats(e.Time, Stats(e));
                return true;
            case 59 when e.Has(4):
                // Worker minimum and maximum; the legacy I/O numbers follow.
                sink.PoolLimits(e.Time, e.UInt16(0), e.UInt16(2));
                return true;
            default:
                return false;
        }
    }

    private static HillClimbingStats Stats(in RawEvent e) => new(
        e.Float64(0),
        e.Float64(8),
        e.Float64(16),
        e.Float64(24),
        e.Float64(32),
        e.Float64(40),
        e.Float64(48),
        e.Float64(56),
        e.Float64(64),
        e.UInt16(72));
}

/// <summary>The payload of event 56, in its order. The schema (hill_climbing) explains each field.</summary>
internal readonly record struct HillClimbingStats(
    double Duration,
    double Throughput,
    double ThreadWave,
    double ThroughputWave,
    double ThroughputError,
    double AverageThroughputError,
    double ThroughputRatio,
    double Confidence,
    double NewControlSetting,
    int NewThreadWaveMagnitude);
