namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>Maps rings for users that may lock little memory: kernel.perf_event_mlock_kb per CPU, and RLIMIT_MEMLOCK.
/// Root can be such a user, in a container without CAP_IPC_LOCK.</summary>
internal static class FittingRings
{
    // 1,600 switches of 40 bytes: enough for thousands per second, with a look every 100 ms and another when half full.
    private const int SmallestBytes = 64 << 10;

    /// <summary>Maps one ring per CPU, all of one size, which it halves until the kernel accepts.</summary>
    /// <param name="owner">The file descriptor of the event that owns a CPU's ring.</param>
    /// <param name="wanted">The requested size of each ring, bytes: a power of two.</param>
    /// <param name="rings">Receives the rings.</param>
    /// <returns>The size of each ring, bytes.</returns>
    /// <exception cref="SchedulerRefusedException">The kernel refuses even the smallest rings.</exception>
    internal static int Map(Func<int, int> owner, IReadOnlyList<int> cpus, int wanted, List<RingBuffer> rings)
    {
        for (var bytes = wanted; ; bytes /= 2)
        {
            try
            {
                foreach (var cpu in cpus)
                {
                    rings.Add(new RingBuffer(owner(cpu), cpu, bytes));
                }

                return bytes;
            }
            catch (SchedulerRefusedException refused)
            {
                rings.ForEach(r => r.Dispose());
                rings.Clear();
                if (bytes <= SmallestBytes)
                {
                    throw new SchedulerRefusedException(
                        refused.Why,
                        "End other recordings of this user, or raise kernel.perf_event_mlock_kb or the limit of locked memory (ulimit -l)");
                }
            }
        }
    }
}
