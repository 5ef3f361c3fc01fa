namespace Poolscope.Decode.Counters;

/// <summary>One reading of the runtime's own counters. Counters that were not reported are -1.</summary>
/// <param name="TimeNs">When the runtime read the counters; CLOCK_MONOTONIC ns.</param>
/// <param name="SinceNs">The start of the interval for <paramref name="Completed"/> and <paramref name="CompilingNs"/>;
/// ns.</param>
/// <param name="QueueLength">Work items in all queues of the pool.</param>
/// <param name="Completed">Work items that ended since <paramref name="SinceNs"/>.</param>
/// <param name="Threads">Worker threads of the pool, including idle ones.</param>
/// <param name="Timers">Active timers: those that are due at some time.</param>
/// <param name="MethodsCompiled">Methods that the JIT has compiled since the process began.</param>
/// <param name="CompilingNs">Time in the JIT since <paramref name="SinceNs"/>, summed over all threads.</param>
public readonly record struct CounterReading(
    long TimeNs, long SinceNs, long QueueLength, long Completed, int Threads, long Timers, long MethodsCompiled, long CompilingNs);
