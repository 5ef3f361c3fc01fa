namespace Poolscope.Workloads.Experiments;

/// <summary>The meeting points, locks, event and tasks of one run.</summary>
internal sealed class ExactCountsScene : IDisposable
{
    private const int Threads = ExactCounts.Threads;
    private const int Locks = ExactCounts.Locks;
    private const int WaitersPerLock = ExactCounts.WaitersPerLock;
    private const int EventWaits = ExactCounts.EventWaits;
    private const int TaskWaits = ExactCounts.TaskWaits;

    // On the way to its wait, a thread may be seen in another one: for a type's initialiser, or asleep while it spins.
    private const int LooksInARow = 20;

    private readonly int[] _arrived = new int[3];
    private readonly int[] _left = new int[3];
    private readonly Thread?[] _waiting = new Thread?[3 * Threads];
    private readonly int[] _held = new int[Locks];
    private readonly object[] _monitors = [.. Enumerable.Range(0, Locks).Select(_ => new object())];
    private readonly ManualResetEvent _event = new(false);
    private readonly TaskCompletionSource[] _tasks = [.. Enumerable.Range(0, TaskWaits).Select(_ => new TaskCompletionSource())];

    public void Dispose() => _event.Dispose();

    public void Item(int number)
    {
        var (cohort, role) = Math.DivRem(number, Threads);
        if (cohort >= _arrived.Length)
        {
            return;
        }

        // Each of these holds its thread until all have arrived, so no thread runs two of them.
        Meet(ref _arrived[cohort]);
        switch (cohort)
        {
            case 0:
                ContendFor(role);
                break;
            case 1:
                WaitForEvent(number, role);
                break;
            default:
                WaitForTask(number, role);
                break;
        }

        Meet(ref _left[cohort]);
    }

    private void ContendFor(int role)
    {
        if (role < Locks)
        {
            lock (_monitors[role])
            {
                Volatile.Write(ref _held[role], 1);
                Blocked(Enumerable.Range(Locks + (role * WaitersPerLock), WaitersPerLock));
            }
        }
        else if ((role - Locks) / WaitersPerLock is < Locks and var which)
        {
            Until(() => Volatile.Read(ref _held[which]) == 1);
            Volatile.Write(ref _waiting[role], Thread.CurrentThread);
            lock (_monitors[which])
            {
                Volatile.Write(ref _waiting[role], null);
            }
        }
    }

    private void WaitForEvent(int number, int role)
    {
        if (role < EventWaits)
        {
            Volatile.Write(ref _waiting[number], Thread.CurrentThread);
            _event.WaitOne();
        }
        else if (role == Threads - 1)
        {
            Blocked(Enumerable.Range(Threads, EventWaits));
            _event.Set();
        }
    }

    private void WaitForTask(int number, int role)
    {
        if (role < TaskWaits)
        {
            Volatile.Write(ref _waiting[number], Thread.CurrentThread);
            _tasks[role].Task.Wait();
        }
        else if (role == Threads - 1)
        {
            Blocked(Enumerable.Range(2 * Threads, TaskWaits));
            foreach (var task in _tasks)
            {
                task.SetResult();
            }
        }
    }

    private void Blocked(IEnumerable<int> waiters)
    {
        foreach (var waiter in waiters)
        {
            var looks = 0;
            Until(() => Volatile.Read(ref _waiting[waiter]) is { } thread && (thread.ThreadState & ThreadState.WaitSleepJoin) != 0
                ? ++looks == LooksInARow
                : (looks = 0) != 0);
        }
    }

    private static void Meet(ref int count)
    {
        Interlocked.Increment(ref count);
        while (Volatile.Read(ref count) < Threads)
        {
            Thread.Sleep(1);
        }
    }

    private static void Until(Func<bool> condition)
    {
        while (!condition())
        {
            Thread.Sleep(1);
        }
    }
}
