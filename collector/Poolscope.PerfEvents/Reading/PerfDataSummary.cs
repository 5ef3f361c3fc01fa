namespace Poolscope.PerfEvents;

/// <summary>The summary of a recording. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="Events">Number of scheduler events and CPU samples.</param>
/// <param name="Lost">Number of events that the kernel dropped.</param>
/// <param name="FirstNs">Time of the first event; -1: none.</param>
/// <param name="LastNs">Time of the last event; -1: none.</param>
/// <param name="Cut">True if the file was never completed (after a crash of the recorder, for example), was truncated
/// later, or is damaged.</param>
/// <param name="Bytes">Size of the file, bytes.</param>
public sealed record PerfDataSummary(long Events, long Lost, long FirstNs, long LastNs, bool Cut, long Bytes)
{
    /// <summary>The one process whose records were kept, from sched.meta.json; null: all processes.</summary>
    public int? OnlyPid { get; init; }

    /// <summary>True if socket events were recorded, whether any came or not.</summary>
    public bool HasSockets { get; init; }

    /// <summary>The fault in the first invalid record, for the user; null: none. Records before it were sent.</summary>
    public string? Damage { get; init; }
}
