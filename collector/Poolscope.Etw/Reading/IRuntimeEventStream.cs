namespace Poolscope.Etw.Reading;

/// <summary>Receives the events of a process's runtime and event sources, as bytes, and its stacks.</summary>
public interface IRuntimeEventStream
{
    /// <summary>Receives an event of the requested process.</summary>
    /// <param name="provider">GUID of the provider's manifest.</param>
    /// <param name="time">Time of the event, ns.</param>
    /// <param name="activity">Activity that the thread works on; empty if the thread has none.</param>
    /// <param name="related">Activity in which an activity began, for its begin event; empty if none.</param>
    /// <param name="pointerSize">Pointer size of the process, bytes: 4 or 8.</param>
    /// <param name="payload">Payload of the event. Valid during the call only.</param>
    void Event(Guid provider, int id, long time, int tid, Guid activity, Guid related, int pointerSize, ReadOnlySpan<byte> payload);

    /// <summary>Receives the stack of the next event.</summary>
    /// <param name="frames">Frames, innermost first; at least one. Valid during the call only.</param>
    void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<TraceFrame> frames);

    /// <summary>Receives the stack of an event if the trace has addresses (<see cref="ITrace.HasAddresses"/>). The call
    /// comes after all events rather than before its event, so that the names of methods are known.</summary>
    /// <param name="addresses">User-mode addresses, innermost first; at least one. Valid during the call only.</param>
    void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<ulong> addresses);

    /// <summary>Receives the stack at which a thread of the requested process left its core to wait.</summary>
    /// <param name="since">Time at which the thread left, ns. The call comes when it returns.</param>
    /// <param name="frames">Frames, innermost first; at least one. Valid during the call only.</param>
    void BlockedAt(long since, int tid, ReadOnlySpan<TraceFrame> frames);

    /// <summary>Receives the same if the trace has addresses, after all events.</summary>
    /// <param name="addresses">User-mode addresses, innermost first; at least one. Valid during the call only.</param>
    void BlockedAt(long since, int tid, ReadOnlySpan<ulong> addresses);
}

/// <param name="Method">Method with namespace and type, without signature; null if unresolved.</param>
/// <param name="Module">File name without folder and extension, as TraceEvent gives it; null if unknown.</param>
public readonly record struct TraceFrame(string? Method, string? Module);

/// <summary>The result of reading a trace.</summary>
/// <param name="Events">Events of the whole machine.</param>
/// <param name="Lost">Events that the session could not write, of any process and any time.</param>
/// <param name="Switches">Context switches; 0 if the kernel was not recorded.</param>
/// <param name="Cut">Whether the end of the file is missing.</param>
public sealed record TraceSummary(long Events, long Lost, long Switches, bool Cut)
{
    /// <summary>Contents of the file that cannot be true, for a person; null if there are none or nothing was
    /// checked.</summary>
    public string? Damage { get; init; }

    /// <summary>The times at which events were lost, if known.</summary>
    public IReadOnlyList<TraceLoss> Losses { get; init; } = [];
}

/// <summary>Events that are missing from a trace.</summary>
/// <param name="AfterNs">Time of the last event before them on their processor; -1 if unknown.</param>
/// <param name="BeforeNs">Time of the first event after them on it; -1 if unknown.</param>
/// <param name="Count">At least this many.</param>
public readonly record struct TraceLoss(long AfterNs, long BeforeNs, long Count);
