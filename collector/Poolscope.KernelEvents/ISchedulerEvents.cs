namespace Poolscope.KernelEvents;

/// <summary>Receives the events of a kernel's scheduler and sockets, those of Linux or of Windows, in order of time. A receiver
/// leaves out what it does not want. Times are CLOCK_MONOTONIC ns; thread id 0 is a CPU's idle task.</summary>
public interface ISchedulerEvents
{
    /// <summary>A CPU changed threads.</summary>
    /// <param name="prevState">Kernel state mask of the thread that left; 0 and 0x100 mean preempted, still runnable;
    /// -1: unknown, the switch was reported by the thread that came, not by the tracepoint.</param>
    void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
    }

    /// <summary>A thread of the target came to a CPU, in a recording of the target's threads alone. Whom it followed and who
    /// woke it is not known.</summary>
    void ThreadIn(long time, int cpu, int pid, int tid)
    {
    }

    /// <summary>A thread of the target left its CPU, in a recording of the target's threads alone.</summary>
    /// <param name="preempted">It is still runnable; otherwise it sleeps.</param>
    void ThreadOut(long time, int cpu, int pid, int tid, bool preempted)
    {
    }

    /// <summary>A thread was made runnable.</summary>
    /// <param name="waker">Thread that did it; -1: a hardware interrupt (a timer, a device), which only borrowed the thread that
    /// it stopped, and always for <see cref="WakeupEvent.Wakeup"/>, whose emitter may be the idle task of another CPU.</param>
    void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
    {
    }

    /// <summary>A cpu-clock sample.</summary>
    /// <param name="userStack">User call chain by frame pointers, innermost first: where the thread was (or entered the kernel), then
    /// where each call returns to. Empty in the idle task and kernel threads. Valid during the call only.</param>
    void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack)
    {
    }

    /// <summary>A process mapped executable memory: a native module, or room for compiled code. At time 0: what existed when
    /// recording began. It replaces whatever lay there; that memory is given back is not reported.</summary>
    /// <param name="address">First byte, in the process.</param>
    /// <param name="length">Bytes.</param>
    /// <param name="fileOffset">Where in the file the first byte lies.</param>
    /// <param name="name">Path of the file as the process sees it; "//anon", "[vdso]" and the like have no file.</param>
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

    /// <summary>A thread has begun to end; it still runs until its last switch. Often told twice (tracepoint and EXIT record):
    /// only the latter covers the moments in which the recorder started.</summary>
    void ThreadExit(long time, int pid, int tid)
    {
    }

    /// <summary>Data arrived on a TCP connection, of whichever process.</summary>
    /// <param name="socket">The kernel's address of it, which the next connection may have after this one is closed.</param>
    /// <param name="bytes">Of data, 1 or more.</param>
    void SocketArrival(long time, ulong socket, int bytes, SocketEndpoints endpoints)
    {
    }

    /// <summary>A thread handed data to a TCP connection, or could not.</summary>
    /// <param name="bytes">Below 0: the kernel took none, because its buffer is full of what the other end has not taken.</param>
    void SocketSend(long time, int pid, int tid, ulong socket, int bytes)
    {
    }

    /// <summary>A thread took data from a TCP connection.</summary>
    /// <param name="bytes">0: the other end has closed it.</param>
    void SocketRead(long time, int pid, int tid, ulong socket, int bytes)
    {
    }

    /// <summary>A TCP connection changed its state.</summary>
    /// <param name="pid">Process in whose thread that happened, which need not be the socket's; of <see cref="TcpState.SynSent"/>
    /// it is.</param>
    void SocketState(long time, int pid, int tid, ulong socket, TcpState before, TcpState after, SocketEndpoints endpoints)
    {
    }

    /// <summary>Windows told something of a TCP connection.</summary>
    /// <param name="pid">Process whose connection it is.</param>
    /// <param name="bytes">Of data; means nothing if none went over.</param>
    void SocketReport(long time, int pid, TcpReport report, int bytes, SocketEndpoints endpoints)
    {
    }

    /// <summary>The kernel dropped records.</summary>
    /// <param name="after">Time of the last record before the gap on that CPU; -1: unknown.</param>
    /// <param name="before">Time of the first record after it, or of the recording's end; -1: unknown.</param>
    void Lost(long after, long before, int cpu, long count)
    {
    }

    /// <summary>The kernel took no CPU samples for a while, because they came too often or took too long.</summary>
    /// <param name="end">-1: to the end of the recording.</param>
    void SamplesThrottled(long start, long end, int cpu)
    {
    }
}

/// <summary>Which tracepoint a wake-up was seen through.</summary>
public enum WakeupEvent
{
    Waking,
    Wakeup,
    WakeupNew,
}
