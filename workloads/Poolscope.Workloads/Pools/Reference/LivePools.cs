namespace Poolscope.Workloads.Pools.Reference;

/// <summary>The live pools, which announce themselves to a session that begins.</summary>
internal static class LivePools
{
    private static ReferencePool[] s_all = [];

    public static ReferencePool[] All => Volatile.Read(ref s_all);

    public static void Add(ReferencePool pool) => Replace(all => [.. all, pool]);

    public static void Remove(ReferencePool pool) => Replace(all => [.. all.Where(p => p != pool)]);

    // No lock, because the start of a session reads the array under the event system's own lock.
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
