namespace Poolscope.Workloads.Pools.Reference;

/// <summary>Runs tasks as items of a reference pool. It is the current scheduler of an asynchronous item, so the item's
/// continuations come back to the pool.</summary>
internal sealed class PoolTaskScheduler : TaskScheduler
{
    private readonly ReferencePool _pool;
    private readonly Action<object, int> _execute;

    public PoolTaskScheduler(ReferencePool pool)
    {
        _pool = pool;
        _execute = (task, _) => TryExecuteTask((Task)task);
    }

    public override int MaximumConcurrencyLevel => _pool.MaxThreads;

    protected override void QueueTask(Task task) => _pool.Enqueue(_execute, task, 0);

    /// <summary>Runs a task that was not queued. A queued task stays queued: the queue is FIFO and gives up no item
    /// from its middle.</summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        !taskWasPreviouslyQueued && ReferencePool.Current == _pool && TryExecuteTask(task);

    /// <summary>Only debuggers call this, and they stop the threads that would answer.</summary>
    protected override IEnumerable<Task> GetScheduledTasks() => throw new NotSupportedException();
}
