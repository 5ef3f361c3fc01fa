using System.Diagnostics.CodeAnalysis;

namespace Poolscope.Workloads.Pools.Reference;

/// <content>The pool's threads: how they start, work, park and end.</content>
public sealed partial class ReferencePool
{
    private void StartFirstThreads()
    {
        for (var i = 0; i < _policy.InitialThreads; i++)
        {
            Thread thread;
            lock (_lock)
            {
                thread = Create(GoalChange.Initializing);
            }

            if (!Start(thread))
            {
                Dispose();
                throw new PoolRefusedException($"{Name}: the system gave it no more than {i} threads");
            }
        }
    }

    /// <summary>Creates a thread, which counts from now on. Call it under the lock. Start the thread outside, because
    /// that takes a tenth of a millisecond.</summary>
    private Thread Create(GoalChange why)
    {
        _total++;
        _lastCreation = Now;
        SetGoal(why);
        var thread = new Thread(Work) { Name = $"{Name} #{++_created}", IsBackground = true };
        _workers.Add(thread);
        return thread;
    }

    /// <returns>False if the system has no thread to give. The item stays in the queue for the existing
    /// threads.</returns>
    private bool Start(Thread? thread)
    {
        try
        {
            thread?.Start();
            return true;
        }
        catch (OutOfMemoryException)
        {
            lock (_lock)
            {
                _workers.Remove(thread!);
                Uncount();
            }

            return false;
        }
    }

    private void SetGoal(GoalChange why)
    {
        var goal = Math.Max(_min, _total);
        if (goal == _goal)
        {
            return;
        }

        _goal = goal;
        if (_events.TellsThreads)
        {
            _events.ThreadPoolWorkerThreadAdjustmentAdjustment(0, goal, (int)why);
        }
    }

    private void Work()
    {
        t_current = this;
        if (_events.TellsThreads)
        {
            _events.ThreadPoolWorkerThreadStart(ThreadCount, 0);
        }

        while (TryTake(out var item))
        {
            Run(item);
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "An item's failure is the item's; the thread serves others too.")]
    private void Run(in WorkItem item)
    {
        if (_events.TellsItems)
        {
            _events.ThreadPoolDequeueWork(item.Id);
        }

        try
        {
            item.Body(item.State, item.Number);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _failed);
        }

        Interlocked.Increment(ref _completed);
    }

    /// <returns>False if this thread has to end; it is then no longer counted.</returns>
    private bool TryTake(out WorkItem item)
    {
        lock (_lock)
        {
            for (var timedOut = false; !_disposed; timedOut = !Park())
            {
                if (_queue.TryDequeue(out item))
                {
                    return true;
                }

                if (timedOut && _total > _policy.Kept(State()))
                {
                    break;
                }
            }

            item = default;
            Leave();
            return false;
        }
    }

    /// <summary>Waits for an item, and releases the lock meanwhile.</summary>
    /// <returns>False if the idle timeout is over.</returns>
    private bool Park()
    {
        _idle++;
        if (_events.TellsThreads)
        {
            _events.ThreadPoolWorkerThreadWait(_total, 0);
        }

        var woken = Monitor.Wait(_lock, WholeMilliseconds.Up(_policy.IdleTimeout(State())));
        _idle--;
        return woken;
    }

    private void Leave()
    {
        if (!_disposed)
        {
            _workers.Remove(Thread.CurrentThread);
        }

        Uncount();
        if (_events.TellsThreads)
        {
            _events.ThreadPoolWorkerThreadStop(_total, 0);
        }
    }

    private void Uncount()
    {
        _total--;
        if (_disposed)
        {
            Monitor.PulseAll(_lock);
        }
        else
        {
            SetGoal(GoalChange.ThreadTimedOut);
        }
    }
}
