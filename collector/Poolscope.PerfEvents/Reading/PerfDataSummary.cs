namespace Poolscope.PerfEvents;

/// <summary>What a recording turned out to hold. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="Events">Scheduler events and CPU samples.</param>
/// <param name="Lost">Events that the kernel dropped.</param>
/// <param name="FirstNs">Time of the first event; -1: none.</param>
/// <param name="LastNs">Time of the last event; -1: none.</param>
/// <param name="Cut">The file was never completed, as after a crash of the recorder, was shortened later, or is damaged.</param>
/// <param name="Bytes">Size of the file, bytes.</param>
public sealed record PerfDataSummary(long Events, long Lost, long FirstNs, long LastNs, bool Cut, long Bytes)
{
    /// <summary>The one process whose records were kept, as sched.meta.json shows; null: of all.</summary>
    public int? OnlyPid { get; init; }

    /// <summary>Events of sockets were recorded, whether any came or not.</summary>
    public bool HasSockets { get; init; }

    /// <summary>What of a record cannot be true, for a person; null: nothing. What came before it has been sent.</summary>
    public string? Damage { get; init; }
}
