namespace Poolscope.Workloads.Pools.Reference;

/// <summary>The pools that a session that begins now has to hear of.</summary>
internal static class LivePools
{
    private static ReferencePool[] s_all = [];

    public static ReferencePool[] All => Volatile.Read(ref s_all);

    public static void Add(ReferencePool pool) => Replace(all => [.. all, pool]);

    public static void Remove(ReferencePool pool) => Replace(all => [.. all.Where(p => p != pool)]);

    // No lock: a session's beginning reads it under the event system's own.
    private static void Replace(Func<ReferencePool[], ReferencePool[]> change)
    {
        ReferencePool[] before;
        do
        {
            before = All;
        }
        while (Interlocked.CompareExchange(ref s_all, change(before), before) != before);
    }
}
