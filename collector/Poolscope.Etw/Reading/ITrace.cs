using Poolscope.KernelEvents;

namespace Poolscope.Etw.Reading;

/// <summary>A trace that is open: who is in it, and its events in order of time.</summary>
public interface ITrace : IDisposable
{
    /// <summary>The file that is read.</summary>
    string Path { get; }

    IReadOnlyList<TraceProcessInfo> Processes { get; }

    /// <summary>Time of the first event, ns.</summary>
    long FirstNs { get; }

    /// <summary>Time of the last event, ns.</summary>
    long LastNs { get; }

    /// <summary>Logical processors of the machine.</summary>
    int Processors { get; }

    /// <summary>Of the machine, bytes.</summary>
    int PointerSize { get; }

    string MachineName { get; }

    string OsName { get; }

    string OsBuild { get; }

    long MemoryBytes { get; }

    /// <summary>When recording began, by the wall clock, good to a millisecond.</summary>
    DateTime StartUtc { get; }

    /// <summary>Stacks come as addresses, and methods are named by the runtime's own events; else they come with names.</summary>
    bool HasAddresses { get; }

    /// <summary>From when on a process's work items were recorded, ns: where its FrameworkEventSource was switched on, which is
    /// later than the first event of the trace. A trace without any counts from its first event.</summary>
    long WorkItemsFromNs(int pid);

    /// <summary>Delivers every event: the kernel's of all processes, the runtime's of one.</summary>
    /// <param name="stackOf">Whether an event's stack is wanted.</param>
    TraceSummary Read(
        int pid,
        ISchedulerEvents scheduler,
        IRuntimeEventStream runtime,
        Func<Guid, int, bool> stackOf,
        CancellationToken cancellation);
}
