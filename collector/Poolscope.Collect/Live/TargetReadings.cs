using Poolscope.Collect.Processes;
using Poolscope.Decode.Counters;
using Poolscope.Decode.Live;

namespace Poolscope.Collect.Live;

/// <summary>Makes a state from the runtime's events and the kernel's figures of a process. It keeps the previous
/// figures for rates. One thread calls it, about once a second.</summary>
/// <param name="followed">Whether the session has an event for each work item.</param>
internal sealed class TargetReadings(ProcFs proc, int pid, string name, string? runtime, bool followed)
{
    /// <summary>The least time for a rate: over less time, a rate says little.</summary>
    private const double LeastSeconds = 0.2;

    private (long NowNs, long User, long System, long Begun)? _before;
    private (double? Cores, double? Begun) _rates;
    private long _completed = -1;
    private double? _completedPerS;
    private long _queuedSince = -1;
    private CounterReading? _latest;

    /// <summary>The time in CLOCK_MONOTONIC ns from which the next state needs readings of the counters.</summary>
    public long NextNs => _latest is { } latest ? latest.TimeNs + 1 : 0;

    /// <param name="waitNs">The longest wait since the previous state.</param>
    /// <param name="readings">The readings since <see cref="NextNs"/>, in order of time.</param>
    public PoolState State(string phase, in PoolSample sample, long waitNs, IReadOnlyList<CounterReading> readings)
    {
        Count(readings);
        var cpu = proc.CpuTicks(pid);
        Rate(sample, cpu);
        return new PoolState(DateTime.UtcNow, phase)
        {
            Pid = pid,
            Name = name,
            Runtime = runtime,
            UptimeS = proc.StartTicks(pid) is { } start && proc.UptimeTicks() is { } up ? (double)(up - start) / ProcFs.TicksPerSecond : null,
            WaitS = followed ? Seconds(waitNs) : null,
            QueuedS = _latest is null ? null : _queuedSince < 0 ? 0 : Seconds(Math.Max(0, sample.NowNs - _queuedSince)),
            Queue = sample.Queue < 0 ? null : sample.Queue,
            Threads = sample.Threads < 0 ? null : sample.Threads,
            Goal = sample.Goal < 0 ? null : sample.Goal,
            GoalReason = GoalReasons.Name(sample.GoalReason),
            GoalAgeS = sample.GoalNs < 0 ? null : Seconds(Math.Max(0, sample.NowNs - sample.GoalNs)),
            Starvations = sample.Starvations,
            Cpu = cpu is { } ticks ? new CpuTime((double)ticks.User / ProcFs.TicksPerSecond, (double)ticks.System / ProcFs.TicksPerSecond) : null,
            Cores = _rates.Cores,
            Begun = followed ? sample.Begun : null,
            BegunPerS = _rates.Begun,
            Completed = _completed < 0 ? null : _completed,
            CompletedPerS = _completedPerS,
            Timers = _latest is { Timers: >= 0 and var timers } ? timers : null,
            SilentS = Seconds(sample.SilentNs),
            Lost = sample.Lost,
        };
    }

    private static double Seconds(long ns) => Math.Round(ns / 1e9, 6);

    private void Count(IReadOnlyList<CounterReading> readings)
    {
        var (completed, seconds) = (0L, 0.0);
        foreach (var reading in readings)
        {
            _latest = reading;
            _queuedSince = reading.QueueLength <= 0 ? -1 : _queuedSince < 0 ? reading.TimeNs : _queuedSince;
            if (reading.Completed >= 0)
            {
                (completed, seconds) = (completed + reading.Completed, seconds + ((reading.TimeNs - reading.SinceNs) / 1e9));
            }
        }

        if (seconds > 0)
        {
            _completed = Math.Max(0, _completed) + completed;
            _completedPerS = seconds >= LeastSeconds ? Math.Round(completed / seconds, 1) : _completedPerS;
        }
    }

    private void Rate(in PoolSample sample, (long User, long System)? cpu)
    {
        if (cpu is not { } ticks)
        {
            (_before, _rates) = (null, (null, null));
            return;
        }

        if (_before is { } before)
        {
            var seconds = (sample.NowNs - before.NowNs) / 1e9;
            if (seconds < LeastSeconds)
            {
                return;
            }

            var used = ticks.User + ticks.System - before.User - before.System;
            _rates = (
                Math.Round(Math.Max(0, used) / seconds / ProcFs.TicksPerSecond, 3),
                followed ? Math.Round((sample.Begun - before.Begun) / seconds, 1) : null);
        }

        _before = (sample.NowNs, ticks.User, ticks.System, sample.Begun);
    }
}
