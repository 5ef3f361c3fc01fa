using Poolscope.Decode.WorkItems;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>A kernel stream that was read, of whichever tier.</summary>
internal interface IThreadStates
{
    Table Threads { get; }

    /// <summary>What it recorded, <see cref="Threads"/> included.</summary>
    IEnumerable<Table> Tables();

    /// <summary>When a thread was on a core; null: not known finely enough to move an event by it.</summary>
    RunningIntervals? Running { get; }

    /// <summary>When a thread last read from a socket or sent to one, up to a time, ns; -1: not known.</summary>
    long LastTransfer(int tid, long until) => -1;
}
