using Poolscope.KernelEvents;

namespace Poolscope.Etw.Reading;

/// <summary>An open trace: its processes, and its events in order of time.</summary>
public interface ITrace : IDisposable
{
    /// <summary>The path of the file.</summary>
    string Path { get; }

    IReadOnlyList<TraceProcessInfo> Processes { get; }

    /// <summary>Time of the first event, ns.</summary>
    long FirstNs { get; }

    /// <summary>Time of the last event, ns.</summary>
    long LastNs { get; }

    /// <summary>Logical processors of the machine.</summary>
    int Processors { get; }

    /// <summary>Pointer size of the machine, bytes.</summary>
    int PointerSize { get; }

    string MachineName { get; }

    string OsName { get; }

    string OsBuild { get; }

    long MemoryBytes { get; }

    /// <summary>The wall-clock time at which the recording began, accurate to a millisecond.</summary>
    DateTime StartUtc { get; }

    /// <summary>Whether stacks come as addresses, with methods named by the runtime's own events. Otherwise they come
    /// with names.</summary>
    bool HasAddresses { get; }

    /// <summary>Returns the time from which a process's work items were recorded, ns: when its FrameworkEventSource was
    /// enabled, which is later than the first event of the trace. Without events of that source, it is the first event
    /// of the trace.</summary>
    long WorkItemsFromNs(int pid);

    /// <summary>Delivers every event: the kernel's of all processes, the runtime's of one.</summary>
    /// <param name="stackOf">Whether the caller wants the stack of an event, by provider and id.</param>
    TraceSummary Read(
        int pid,
        ISchedulerEvents scheduler,
        IRuntimeEventStream runtime,
        Func<Guid, int, bool> stackOf,
        CancellationToken cancellation);
}
