namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>Rings for whoever may lock little memory: kernel.perf_event_mlock_kb per CPU, and RLIMIT_MEMLOCK. Root may be such
/// a one: a container can leave out CAP_IPC_LOCK.</summary>
internal static class FittingRings
{
    // 1,600 switches of 40 bytes: at a look every 100 ms, and one more when half full, enough for thousands a second.
    private const int SmallestBytes = 64 << 10;

    /// <summary>Maps one ring per CPU, all of one size, halved as long as the kernel refuses.</summary>
    /// <param name="owner">The file descriptor of the event that owns a CPU's ring.</param>
    /// <param name="wanted">Bytes: a power of two.</param>
    /// <param name="rings">Gets the rings.</param>
    /// <returns>Bytes of each ring.</returns>
    /// <exception cref="SchedulerRefusedException">Not even the smallest are allowed.</exception>
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
