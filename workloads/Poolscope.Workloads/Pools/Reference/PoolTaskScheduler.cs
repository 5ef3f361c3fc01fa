namespace Poolscope.Workloads.Pools.Reference;

/// <summary>Runs tasks as items of a reference pool. It is the current scheduler of an asynchronous item, so what the item awaits
/// comes back to the pool.</summary>
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

    /// <summary>A task that is queued stays queued: the queue is FIFO, and nothing is taken from its middle.</summary>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        !taskWasPreviouslyQueued && ReferencePool.Current == _pool && TryExecuteTask(task);

    /// <summary>For debuggers only, and those stop the threads that would answer.</summary>
    protected override IEnumerable<Task> GetScheduledTasks() => throw new NotSupportedException();
}
