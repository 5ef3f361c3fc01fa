using System.Diagnostics;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The timer that ends a counting experiment, on a thread of the pool under test.</summary>
internal sealed class EndingTimer : IDisposable
{
    private readonly TimeSpan _due;
    private readonly long _started = Stopwatch.GetTimestamp();
    private readonly IDisposable _timer;
    private readonly ManualResetEventSlim _fired = new();
    private long _firedAt;

    /// <param name="end">Called once, when the callback gets its thread; due after the run's work time.</param>
    public EndingTimer(WorkloadRun run, Action end)
    {
        _due = run.Settings.Work;
        _timer = run.Pool.StartTimer(_due, Timeout.InfiniteTimeSpan, () =>
        {
            _firedAt = Stopwatch.GetTimestamp();
            end();
            _fired.Set();
        });
    }

    /// <summary>Waits for the callback and reports its delay.</summary>
    public void Measure(WorkloadRun run)
    {
        _fired.Wait();
        run.Measured("timer late by", (Stopwatch.GetElapsedTime(_started, _firedAt) - _due).TotalMilliseconds, "ms");
    }

    public void Dispose()
    {
        _timer.Dispose();
        _fired.Dispose();
    }
}
