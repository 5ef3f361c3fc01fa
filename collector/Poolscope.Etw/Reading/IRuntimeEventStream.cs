namespace Poolscope.Etw.Reading;

/// <summary>Takes what a process did: events of the runtime and its event sources, as bytes, and stacks.</summary>
public interface IRuntimeEventStream
{
    /// <summary>An event of the process asked for.</summary>
    /// <param name="provider">GUID of the provider's manifest.</param>
    /// <param name="time">In ns.</param>
    /// <param name="activity">What the thread was at work for; empty: it was told nothing.</param>
    /// <param name="related">Of the beginning of an activity: the one that it began in; empty: none.</param>
    /// <param name="pointerSize">Of the process: 4 or 8 bytes.</param>
    /// <param name="payload">Valid during the call only.</param>
    void Event(Guid provider, int id, long time, int tid, Guid activity, Guid related, int pointerSize, ReadOnlySpan<byte> payload);

    /// <summary>The stack of the event that comes next.</summary>
    /// <param name="frames">Innermost first; at least one. Valid during the call only.</param>
    void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<TraceFrame> frames);

    /// <summary>The same, of a trace that has addresses (<see cref="ITrace.HasAddresses"/>): not before its event, but after all
    /// events, so that the names of methods are known.</summary>
    /// <param name="addresses">Of user mode, innermost first; at least one. Valid during the call only.</param>
    void Stack(Guid provider, int id, long time, int tid, ReadOnlySpan<ulong> addresses);

    /// <summary>Where a thread of the process asked for had left its core to wait.</summary>
    /// <param name="since">When it left, ns. It is told when the thread comes back.</param>
    /// <param name="frames">Innermost first; at least one. Valid during the call only.</param>
    void BlockedAt(long since, int tid, ReadOnlySpan<TraceFrame> frames);

    /// <summary>The same, of a trace that has addresses: after all events.</summary>
    /// <param name="addresses">Of user mode, innermost first; at least one. Valid during the call only.</param>
    void BlockedAt(long since, int tid, ReadOnlySpan<ulong> addresses);
}

/// <param name="Method">With namespace and type, without signature; null: unresolved.</param>
/// <param name="Module">File name without folder and extension, as TraceEvent gives it; null: unknown.</param>
public readonly record struct TraceFrame(string? Method, string? Module);

/// <summary>What reading a trace gave.</summary>
/// <param name="Events">Of the whole machine.</param>
/// <param name="Lost">Events that the session could not write; they may be anybody's, of any time.</param>
/// <param name="Switches">Context switches; 0: the kernel was not recorded.</param>
/// <param name="Cut">The end of the file is missing.</param>
public sealed record TraceSummary(long Events, long Lost, long Switches, bool Cut)
{
    /// <summary>What of the file cannot be true, for a person; null: nothing, or nobody looked.</summary>
    public string? Damage { get; init; }

    /// <summary>When events were lost, if that is known.</summary>
    public IReadOnlyList<TraceLoss> Losses { get; init; } = [];
}

/// <summary>Events that a trace lacks.</summary>
/// <param name="AfterNs">Last event before them on their processor; -1: unknown.</param>
/// <param name="BeforeNs">First event behind them on it; -1: unknown.</param>
/// <param name="Count">At least this many.</param>
public readonly record struct TraceLoss(long AfterNs, long BeforeNs, long Count);
