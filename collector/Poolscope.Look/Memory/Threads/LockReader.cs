using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory.Threads;

/// <summary>Reads the monitors that threads hold. Since .NET 11, a contended monitor is a lock of another kind: see
/// <see cref="ManagedLocks"/>.</summary>
internal static class LockReader
{
    public static IEnumerable<LockLine> Read(ClrRuntime runtime, IReadOnlyList<ClrThread> threads)
    {
        foreach (var block in runtime.Heap.EnumerateSyncBlocks())
        {
            if (block.IsMonitorHeld)
            {
                var owner = threads.FirstOrDefault(thread => thread.Address == block.HoldingThreadAddress);
                yield return new LockLine(runtime.Heap.GetObjectType(block.Object)?.Name ?? "?", owner?.OSThreadId, block.WaitingThreadCount);
            }
        }
    }
}
