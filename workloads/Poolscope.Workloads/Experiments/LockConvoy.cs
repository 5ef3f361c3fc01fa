using System.Runtime.CompilerServices;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Items that all take one lock. With a thread for each, they start at once and end one after the other: the
/// queue has only moved from the pool to the lock.</summary>
public sealed class LockConvoy : IWorkload
{
    private const int Items = 200;

    public WorkloadDescription Description { get; } = new(
        "lock-convoy",
        "Items that each hold the same lock for 40 ms, all queued at once, a thread for each",
        null,
        null,
        [
            new ExpectedVerdict("guard lock or monitor", ["lock-convoy"]),
            new ExpectedVerdict("guard semaphore, --min-threads 20 --max-threads 20", ["blocked-at-cap"]),
        ],
        Knobs.Items | Knobs.Guard);

    public RunSettings Defaults(bool full) => new(Items, 0, 40, MinThreads: Items, Guard: GuardKind.Lock);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        switch (run.Settings.Guard)
        {
            case GuardKind.Semaphore:
                using (var semaphore = new SemaphoreSlim(1))
                {
                    run.QueueAll(_ => TakeSemaphore(semaphore, work));
                }

                break;
            case GuardKind.Monitor:
                var monitor = new object();
                run.QueueAll(_ => EnterMonitor(monitor, work));
                break;
            default:
                var convoy = new Lock();
                run.QueueAll(_ => EnterLock(convoy, work));
                break;
        }
    }

    // Separate methods that appear on every stack, so that a report's blame can be checked.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterLock(Lock convoy, TimeSpan work)
    {
        lock (convoy)
        {
            Hold(work);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterMonitor(object convoy, TimeSpan work)
    {
        lock (convoy)
        {
            Hold(work);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TakeSemaphore(SemaphoreSlim convoy, TimeSpan work)
    {
        convoy.Wait();
        try
        {
            Hold(work);
        }
        finally
        {
            convoy.Release();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Hold(TimeSpan work) => Thread.Sleep(work);
}
