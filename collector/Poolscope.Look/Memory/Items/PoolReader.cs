using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory.Items;

/// <summary>Reads the pool's limits, its threads and the number of items that have ended.</summary>
internal static class PoolReader
{
    private const int MostNodes = 10_000;

    public static PoolLine Read(ClrRuntime runtime)
    {
        var at = Environment.TickCount64;
        return runtime.ThreadPool is { } pool
            ? new PoolLine(pool.MinThreads, pool.MaxThreads, Goal(runtime), pool.ActiveWorkerThreads, pool.IdleWorkerThreads, Completed(runtime), at)
            : new PoolLine(null, null, null, null, null, null, at);
    }

    private static ClrObject? Instance(ClrRuntime runtime)
    {
        var field = runtime.BaseClassLibrary.GetTypeByName("System.Threading.PortableThreadPool")?.GetStaticFieldByName("ThreadPoolInstance");
        return field is not null && runtime.AppDomains.Length > 0 && field.ReadObject(runtime.AppDomains[0]) is { IsValid: true, IsNull: false } pool ? pool : null;
    }

    /// <summary>Returns the third of the 16-bit counts that the pool changes together, or null if this runtime keeps
    /// them elsewhere.</summary>
    private static int? Goal(ClrRuntime runtime)
    {
        if (Instance(runtime) is not { } pool || pool.Type?.GetFieldByName("_separated") is not { } separated
            || pool.ReadValueTypeField(separated) is not { IsValid: true, Type: { } kept } counters || kept.GetFieldByName("counts") is null
            || counters.ReadValueTypeField("counts") is not { IsValid: true, Type: { } counted } counts || counted.GetFieldByName("_data") is null)
        {
            return null;
        }

        return (short)(counts.ReadField<ulong>("_data") >> 32);
    }

    /// <summary>Returns the number of items that have ended. Each thread counts in a node of its own, and the nodes
    /// form a ring.</summary>
    private static long? Completed(ClrRuntime runtime)
    {
        if (Instance(runtime) is not { } pool || !pool.TryReadObjectField("_completionCounter", out var counter) || counter is not { IsValid: true, IsNull: false }
            || !counter.TryReadField("_overflowCount", out long sum) || !counter.TryReadObjectField("_nodes", out var first) || first is not { IsValid: true, IsNull: false })
        {
            return null;
        }

        var node = first;
        for (var step = 0; step < MostNodes; step++)
        {
            if (!node.TryReadField("_count", out uint count))
            {
                return null;
            }

            sum += count;
            if (!node.TryReadObjectField("_next", out var next) || next is not { IsValid: true, IsNull: false })
            {
                return null;
            }

            node = next;
            if (node.Address == first.Address)
            {
                return sum;
            }
        }

        return null;
    }
}
