namespace Poolscope.Decode.Counters;

/// <summary>One reading of the runtime's own counters. -1: not reported.</summary>
/// <param name="TimeNs">When the runtime read them; CLOCK_MONOTONIC ns.</param>
/// <param name="SinceNs">From here on <paramref name="Completed"/> and <paramref name="CompilingNs"/> count; ns.</param>
/// <param name="QueueLength">Work items in all queues of the pool.</param>
/// <param name="Completed">Work items that ended since <paramref name="SinceNs"/>.</param>
/// <param name="Threads">Worker threads of the pool, idle ones too.</param>
/// <param name="Timers">Timers that are due some time.</param>
/// <param name="MethodsCompiled">Methods that the JIT has compiled since the process began.</param>
/// <param name="CompilingNs">Time in the JIT, of all threads together, since <paramref name="SinceNs"/>.</param>
public readonly record struct CounterReading(
    long TimeNs, long SinceNs, long QueueLength, long Completed, int Threads, long Timers, long MethodsCompiled, long CompilingNs);
