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

    /// <summary>Where a thread of the process asked for had left its core to wait.</summary>
    /// <param name="since">When it left, ns. It is told when the thread comes back.</param>
    /// <param name="frames">As of <see cref="Stack"/>.</param>
    void BlockedAt(long since, int tid, ReadOnlySpan<TraceFrame> frames);
}

/// <param name="Method">With namespace and type, without signature; null: unresolved.</param>
/// <param name="Module">File name without folder and extension, as TraceEvent gives it; null: unknown.</param>
public readonly record struct TraceFrame(string? Method, string? Module);

/// <summary>What reading a trace gave.</summary>
/// <param name="Events">Of the whole machine.</param>
/// <param name="Lost">Events that the session could not write; they may be anybody's, of any time.</param>
/// <param name="Switches">Context switches; 0: the kernel was not recorded.</param>
/// <param name="Cut">The end of the file is missing.</param>
public sealed record TraceSummary(long Events, long Lost, long Switches, bool Cut);
