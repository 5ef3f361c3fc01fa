namespace Poolscope.Workloads.Pools.Reference;

/// <summary>One queued item.</summary>
/// <param name="Id">Number in the events, given out once in a process. (The runtime's are hash codes and repeat.)</param>
/// <param name="Body">What to run.</param>
/// <param name="State">What <paramref name="Body"/> gets.</param>
/// <param name="Number">And with it.</param>
internal readonly record struct WorkItem(long Id, Action<object, int> Body, object State, int Number);
