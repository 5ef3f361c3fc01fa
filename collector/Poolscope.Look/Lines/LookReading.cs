namespace Poolscope.Look.Lines;

/// <summary>The findings of one reading, whether or not it finished.</summary>
public sealed class LookReading
{
    private readonly List<ThreadLine> _threads = [];
    private readonly List<LockLine> _locks = [];
    private readonly List<TimerLine> _timers = [];

    public RuntimeLine? Runtime { get; private set; }

    public PoolLine? Pool { get; private set; }

    public QueuesLine? Queues { get; private set; }

    /// <summary>Gets the number of threads in the process; null: the reading did not get this far.</summary>
    public int? ThreadCount { get; private set; }

    public IReadOnlyList<ThreadLine> Threads => _threads;

    public IReadOnlyList<LockLine> Locks => _locks;

    public IReadOnlyList<TimerLine> Timers => _timers;

    public string? Error { get; private set; }

    /// <summary>Gets a value indicating whether everything was read.</summary>
    public bool Complete { get; private set; }

    /// <summary>Gets a value indicating whether the reader finished, with or without everything.</summary>
    public bool Ended { get; private set; }

    /// <summary>Gets or sets why the reader did not finish, as the rest of a sentence about it; null: it did.</summary>
    public string? EndedBy { get; set; }

    /// <summary>Gets a value indicating whether the limits and the queues were read.</summary>
    public bool HasPool => Pool is { Minimum: not null } && Queues is { Queues.Count: > 0 };

    /// <summary>Gets the number of threads whose stacks are not known. A pool thread always has frames, so an empty
    /// stack of one counts as not read. The runtime's own threads have no frames.</summary>
    public int ThreadsNotRead => Math.Max(0, (ThreadCount ?? 0) - _threads.Count(thread => !thread.Pool || thread.Frames.Count > 0));

    public void Add(LookLine line)
    {
        Runtime = line.Runtime ?? Runtime;
        Pool = line.Pool ?? Pool;
        Queues = line.Queues ?? Queues;
        ThreadCount = line.Threads ?? ThreadCount;
        Error = line.Error ?? Error;
        Complete |= line.Complete ?? false;
        Ended |= line.Complete is not null || line.Error is not null;
        AddTo(_threads, line.Thread);
        AddTo(_locks, line.Lock);
        AddTo(_timers, line.Timer);
    }

    private static void AddTo<T>(List<T> all, T? one)
        where T : class
    {
        if (one is not null)
        {
            all.Add(one);
        }
    }
}
