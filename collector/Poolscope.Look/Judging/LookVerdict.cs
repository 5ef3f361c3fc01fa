using Poolscope.Look.Lines;

namespace Poolscope.Look.Judging;

/// <summary>The verdict of a look. It names a cause only if everything that the look saw agrees.</summary>
/// <param name="Id">The id of a `poolscope` finding, or healthy or cannot-tell.</param>
/// <param name="Confidence">medium or low, because one moment does not measure waits.</param>
/// <param name="Why">The reason, in one sentence.</param>
public sealed record LookVerdict(string Id, string Confidence, string Why)
{
    public const string Healthy = "healthy";
    public const string CannotTell = "cannot-tell";
    public const string BlockedAtCap = "blocked-at-cap";
    public const string InjectionDelay = "injection-delay";
    public const string SyncOverAsync = "sync-over-async";
    public const string LockConvoy = "lock-convoy";
    public const string CoreContention = "core-contention";

    /// <summary>The wait above which an item is late, ms: the default of `poolscope`.</summary>
    private const double LateMs = 50;

    /// <summary>The share of unread stacks above which the look draws no conclusion from the rest.</summary>
    private const double TooFewStacks = 0.25;

    private const double Most = 0.5;
    private const double NearlyAll = 0.9;

    /// <summary>The fewest waiters that make a lock a cause although nothing is queued. A few threads meet at every
    /// lock.</summary>
    private const int FewestStuck = 8;

    public static LookVerdict Of(PoolLook look)
    {
        if (!look.First.Reading.HasPool)
        {
            return new LookVerdict(CannotTell, "low", "The pool's limits and queues could not be read.");
        }

        if (look.IsDump && Contradiction(look.First) is { } contradiction)
        {
            return contradiction;
        }

        if (NoCause(look) is { } healthy)
        {
            return healthy;
        }

        var first = Cause(look.First);
        var second = look.Second is { } later ? Cause(later) : null;
        if (look.IsDump)
        {
            // A burst that the pool finishes at once looks the same: a dump does not show how fast items end.
            return first is null or { Id: CoreContention } ? Nothing(look) : first;
        }

        if (first is null && second is null)
        {
            return Nothing(look);
        }

        // One look may lack stacks. Then the other look is the only evidence.
        return (first?.Id == second?.Id) ? first!
            : look.First.NotRead > TooFewStacks && second is not null ? second with { Confidence = "low" }
            : (look.Second is null || look.Second.NotRead > TooFewStacks) && first is not null ? first with { Confidence = "low" }
            : new LookVerdict(CannotTell, "low", $"The two looks differ: the first one showed {first?.Id ?? "no cause"}, the second one {second?.Id ?? "no cause"}.");
    }

    /// <summary>Returns a verdict if a dump contradicts itself. Nothing moves in a dump, so its parts agree unless it
    /// is damaged.</summary>
    private static LookVerdict? Contradiction(PoolView view)
    {
        var pool = view.Reading.Pool!;
        var isIdleSeen = view.Reading.ThreadsNotRead > 0 || view.Workers.Any(thread => !thread.InItem);
        return view.Inside > pool.Active || (pool.Idle > 0 && !isIdleSeen)
            ? new LookVerdict(CannotTell, "low", $"The dump contradicts itself: the pool counts {pool.Active:N0} active and {pool.Idle:N0} idle threads, and the stacks show {view.Inside:N0} inside items of {view.Workers.Count:N0}. It may be damaged.")
            : null;
    }

    private static LookVerdict? NoCause(PoolLook look)
    {
        if (look.Queued == 0 && Stuck(look.First) is { } convoy && (look.Second is null || Stuck(look.Second) is not null))
        {
            return convoy;
        }

        if (look.Queued == 0)
        {
            return OnLocksUnknown(look.Stacks) ?? NoneIsFree(look.Stacks) ?? new LookVerdict(Healthy, "medium", look.First.Queued == 0 && look.Second is not { Queued: > 0 }
                ? "No cause seen: no item is queued." : "No cause seen: the queue became empty between the two looks.");
        }

        if (look.First.Reading.Pool!.HasFree && look.Second?.Reading.Pool is null or { HasFree: true })
        {
            return new LookVerdict(Healthy, "medium", "No cause seen: the pool has idle threads for what is queued.");
        }

        return look.WaitMs is { } wait && wait < LateMs
            ? new LookVerdict(Healthy, "medium", $"No cause seen: items end so fast that a queued one waits about {wait:0} ms.")
            : null;
    }

    /// <summary>Returns a verdict if most threads wait for one lock. A lock delays even items that all started at
    /// once.</summary>
    private static LookVerdict? Stuck(PoolView view) => WaitOnLocks(view) ? Convoy(view) : null;

    /// <summary>Returns a verdict if as many threads wait for locks as in a convoy, but not every look shows that it is
    /// one lock.</summary>
    private static LookVerdict? OnLocksUnknown(PoolView view) =>
        WaitOnLocks(view)
            ? new LookVerdict(CannotTell, "low", $"No item is queued, but most of the {view.Inside:N0} threads inside items wait for locks. Whether it is one lock could not be read.")
            : null;

    private static bool WaitOnLocks(PoolView view) =>
        view.Workers.Count(thread => thread.InItem && thread.OnLock) is var waiting && waiting >= FewestStuck && waiting > NearlyAll * view.Inside;

    /// <summary>Returns a verdict if nothing is queued but no thread is free, so that the next items will
    /// wait.</summary>
    private static LookVerdict? NoneIsFree(PoolView view) =>
        view.Reading.Pool is { HasFree: false, Idle: 0 } pool && pool.Active >= pool.Minimum && view.NotRead <= TooFewStacks && view.Blocked >= pool.Active * NearlyAll
            ? new LookVerdict(CannotTell, "low", $"No item is queued at this moment, but {view.Blocked:N0} of {view.Inside:N0} threads are blocked and none is free: the next items may wait.")
            : null;

    private static LookVerdict? Cause(PoolView view)
    {
        var (inside, blocked) = (view.Inside, view.Blocked);
        if (view.Queued == 0 || inside == 0 || view.NotRead > TooFewStacks)
        {
            return null;
        }

        if (blocked > Most * inside)
        {
            return Blocking(view);
        }

        return view.Running > Most * inside && !OthersWantMore(view)
            ? new LookVerdict(CoreContention, "medium", $"Items wait because the threads compute: {view.Running:N0} of {inside:N0} run, and the queue is not empty.")
            : null;
    }

    /// <summary>Returns whether more threads of other processes than of the pool want a processor. Then the other
    /// processes may be the cause, not the pool.</summary>
    private static bool OthersWantMore(PoolView view) => view.Reading.Pool?.Runnable is { } runnable && runnable > 2 * view.Running;

    private static LookVerdict Blocking(PoolView view)
    {
        var (inside, blocked) = (view.Inside, view.Blocked);
        if (Convoy(view) is { } convoy)
        {
            return convoy;
        }

        var pool = view.Reading.Pool!;
        if (view.Workers.Count(thread => thread.InItem && thread.OnTask) > Most * inside)
        {
            return new LookVerdict(SyncOverAsync, "medium", $"Items wait because {blocked:N0} of {inside:N0} threads are blocked, most of them on .Result or .Wait(){AtCap(pool)}.");
        }

        // If the pool may add fewer threads than are blocked, the maximum is as likely a cause as the pace.
        return pool.IsAtMaximum
            ? new LookVerdict(BlockedAtCap, "medium", $"Items wait because blocked items hold {blocked:N0} of the {pool.Maximum:N0} threads that the maximum allows.")
            : pool.Maximum - pool.Threads is { } more && more < blocked
            ? new LookVerdict(InjectionDelay, "low", $"Items wait because {blocked:N0} of {inside:N0} threads are blocked. The pool adds threads slowly, and its maximum of {pool.Maximum:N0} allows only {more:N0} more.")
            : new LookVerdict(InjectionDelay, "medium", $"Items wait because {blocked:N0} of {inside:N0} threads are blocked, and the pool adds threads slowly.");
    }

    private static string AtCap(PoolLine pool) => pool.IsAtMaximum ? $", and the pool is at its maximum of {pool.Maximum:N0}" : "";

    /// <summary>Returns a verdict if most blocked threads wait for one lock: a monitor that counts its waiters, or, if
    /// there is none, a lock in one method.</summary>
    private static LookVerdict? Convoy(PoolView view)
    {
        var waiting = view.Workers.Where(thread => thread.InItem && thread.OnLock).ToList();
        if (waiting.Count < 2 || waiting.Count <= Most * view.Blocked)
        {
            return null;
        }

        // A reader that cannot read the number of waiters reports a thousand.
        var most = view.Reading.Locks.Where(held => held.Waiting <= waiting.Count + view.Others.Count + view.Reading.ThreadsNotRead).MaxBy(held => held.Waiting ?? 0);
        if (most?.Waiting > Most * view.Blocked)
        {
            return new LookVerdict(LockConvoy, "medium", $"Items {Fate(view)} because {most.Waiting:N0} of {view.Blocked:N0} blocked threads wait for one lock ({most.Type}).");
        }

        var place = waiting.GroupBy(thread => thread.Method).MaxBy(group => group.Count())!;
        return place.Count() > Most * view.Blocked && place.Key is not null
            ? new LookVerdict(LockConvoy, "low", $"Items {Fate(view)} because {place.Count():N0} of {view.Blocked:N0} blocked threads wait for a lock in {place.Key}.")
            : null;
    }

    private static string Fate(PoolView view) => view.Queued > 0 ? "wait" : "end late";

    private static LookVerdict Nothing(PoolLook look)
    {
        var view = look.Stacks;
        return view.NotRead > TooFewStacks
            ? new LookVerdict(CannotTell, "low", $"{look.Queued:N0} items are queued, but what the threads do could not be read: {view.Inside:N0} of {view.Reading.Pool?.Active ?? 0:N0} active threads were seen inside items.")
            : new LookVerdict(CannotTell, "low", $"{look.Queued:N0} items are queued; {view.Inside:N0} threads are inside items: {view.Blocked:N0} wait and {view.Running:N0} run{(OthersWantMore(view) ? $"; {view.Reading.Pool!.Runnable:N0} threads of the machine want a processor" : "")}.");
    }
}
