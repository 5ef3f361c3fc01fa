namespace Poolscope.Workloads.Pools.Reference;

/// <summary>One queued item.</summary>
/// <param name="Id">Number in the events, unique in the process. (The runtime's are hash codes and repeat.)</param>
/// <param name="Body">The code to run.</param>
/// <param name="State">First argument of <paramref name="Body"/>.</param>
/// <param name="Number">Its second argument.</param>
internal readonly record struct WorkItem(long Id, Action<object, int> Body, object State, int Number);
