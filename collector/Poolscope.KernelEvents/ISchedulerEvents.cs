namespace Poolscope.KernelEvents;

/// <summary>Receives the events of a kernel's scheduler and sockets (Linux or Windows) in order of time. A receiver
/// implements only the methods that it needs. Times are CLOCK_MONOTONIC ns; thread id 0 is a CPU's idle task.</summary>
public interface ISchedulerEvents
{
    /// <summary>A CPU switched from one thread to another.</summary>
    /// <param name="prevState">Kernel state mask of the thread that left. 0 and 0x100 mean preempted, still runnable.
    /// -1 means unknown: the thread that came reported the switch, not the tracepoint.</param>
    void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
    }

    /// <summary>A thread of the target came to a CPU, in a recording of the target's threads alone. The recording does
    /// not show which thread ran before it, nor which thread woke it.</summary>
    void ThreadIn(long time, int cpu, int pid, int tid)
    {
    }

    /// <summary>A thread of the target left its CPU, in a recording of the target's threads alone.</summary>
    /// <param name="preempted">True if the thread is still runnable, false if it sleeps.</param>
    void ThreadOut(long time, int cpu, int pid, int tid, bool preempted)
    {
    }

    /// <summary>A thread was made runnable.</summary>
    /// <param name="waker">The thread that did it. -1: a hardware interrupt (a timer, a device), which only borrowed
    /// the interrupted thread. Always -1 for <see cref="WakeupEvent.Wakeup"/>, whose emitter may be the idle task of
    /// another CPU.</param>
    void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
    {
    }

    /// <summary>A cpu-clock sample.</summary>
    /// <param name="userStack">User call chain by frame pointers, innermost first: the address where the thread was (or
    /// entered the kernel), then the return address of each call. Empty in the idle task and kernel threads. Valid only
    /// during the call.</param>
    void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack)
    {
    }

    /// <summary>A process mapped executable memory: a native module, or space for compiled code. Mappings that existed
    /// when recording began have time 0. A mapping replaces earlier ones at its addresses; unmapping is not
    /// reported.</summary>
    /// <param name="address">Address of the first byte, in the process.</param>
    /// <param name="length">Length in bytes.</param>
    /// <param name="fileOffset">Offset of the first byte in the file.</param>
    /// <param name="name">Path of the file as the process sees it. Names such as "//anon" and "[vdso]" have no
    /// file.</param>
    void Mapping(long time, int pid, ulong address, ulong length, ulong fileOffset, string name)
    {
    }

    /// <summary>A thread existed when recording began (time 0) or took a name.</summary>
    void ThreadName(long time, int pid, int tid, string name)
    {
    }

    /// <summary>A thread was created.</summary>
    void ThreadStart(long time, int pid, int tid, int parentTid)
    {
    }

    /// <summary>A thread has begun to end; it still runs until its last switch. Often reported twice (tracepoint and
    /// EXIT record): only the EXIT record covers the moments in which the recorder started.</summary>
    void ThreadExit(long time, int pid, int tid)
    {
    }

    /// <summary>Data arrived on a TCP connection of any process.</summary>
    /// <param name="socket">The kernel's address of the socket. A later connection may have the same one.</param>
    /// <param name="bytes">Bytes of data, 1 or more.</param>
    void SocketArrival(long time, ulong socket, int bytes, SocketEndpoints endpoints)
    {
    }

    /// <summary>A thread handed data to a TCP connection, or could not.</summary>
    /// <param name="bytes">Below 0: the kernel accepted none, because its buffer is full of data that the other end has
    /// not taken.</param>
    void SocketSend(long time, int pid, int tid, ulong socket, int bytes)
    {
    }

    /// <summary>A thread took data from a TCP connection.</summary>
    /// <param name="bytes">0: the other end has closed the connection.</param>
    void SocketRead(long time, int pid, int tid, ulong socket, int bytes)
    {
    }

    /// <summary>A TCP connection changed its state.</summary>
    /// <param name="pid">Process of the thread in which the change happened. It need not own the socket, except for
    /// <see cref="TcpState.SynSent"/>.</param>
    void SocketState(long time, int pid, int tid, ulong socket, TcpState before, TcpState after, SocketEndpoints endpoints)
    {
    }

    /// <summary>Windows reported an event of a TCP connection.</summary>
    /// <param name="pid">The process that owns the connection.</param>
    /// <param name="bytes">Bytes of data. Meaningless if the event carries none.</param>
    void SocketReport(long time, int pid, TcpReport report, int bytes, SocketEndpoints endpoints)
    {
    }

    /// <summary>The kernel dropped records.</summary>
    /// <param name="after">Time of the last record before the gap on that CPU; -1: unknown.</param>
    /// <param name="before">Time of the first record after the gap, or of the recording's end; -1: unknown.</param>
    void Lost(long after, long before, int cpu, long count)
    {
    }

    /// <summary>The kernel took no CPU samples for a while, because they came too often or took too long.</summary>
    /// <param name="end">-1: no sample follows until the end of the recording.</param>
    void SamplesThrottled(long start, long end, int cpu)
    {
    }
}

/// <summary>The tracepoint that reported a wake-up.</summary>
public enum WakeupEvent
{
    Waking,
    Wakeup,
    WakeupNew,
}
