using Poolscope.Decode.WorkItems;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>A decoded kernel stream of any tier.</summary>
internal interface IThreadStates
{
    Table Threads { get; }

    /// <summary>Returns the tables of the stream, including <see cref="Threads"/>.</summary>
    IEnumerable<Table> Tables();

    /// <summary>When threads were on a core; null if not precise enough to correct the time of an event.</summary>
    RunningIntervals? Running { get; }

    /// <summary>Returns the time at which a thread last read from or sent to a socket, up to a time, ns; -1 if
    /// unknown.</summary>
    long LastTransfer(int tid, long until) => -1;
}
