using System.Runtime.InteropServices;
using System.Text;
using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Script;

/// <summary>Finds the names and processes of threads in lines that mention them, and reports changes to a
/// sink.</summary>
/// <param name="target">A process whose threads another source lists, for a text that names no processes.</param>
/// <param name="itsThreads">The threads of that process.</param>
internal sealed class ScriptThreads(ISchedulerEvents sink, int target, IReadOnlySet<int> itsThreads)
{
    /// <summary>TASK_COMM_LEN of the kernel, bytes. Longer names are truncated.</summary>
    private const int NameBytes = 16;

    private readonly Dictionary<int, Known> _known = [];

    /// <summary>Returns the process of a thread, or -1 if unknown.</summary>
    internal int OwnerOf(int tid) =>
        _known.TryGetValue(tid, out var known) && known.Pid >= 0 ? known.Pid : itsThreads.Contains(tid) ? target : -1;

    /// <summary>Notes the thread that a line is about. perf remembers names, so this one may be older than the kernel's
    /// own.</summary>
    internal void Runs(long time, int pid, int tid, ReadOnlySpan<byte> comm)
    {
        if (tid > 0 && (!_known.TryGetValue(tid, out var known) || (pid >= 0 && known.Pid != pid)))
        {
            Tell(time, pid, tid, known.Name is null ? comm : default, known);
        }
    }

    /// <summary>Notes a thread that an event names.</summary>
    internal void IsNamed(long time, int tid, ReadOnlySpan<byte> comm)
    {
        if (tid > 0 && !comm.IsEmpty && (!_known.TryGetValue(tid, out var known) || known.Key != KeyOf(comm)))
        {
            Tell(time, -1, tid, comm, known);
        }
    }

    /// <summary>Notes a thread from a record of the perf core, which replaces everything noted about it
    /// before.</summary>
    internal void IsTold(long time, int pid, int tid, ReadOnlySpan<byte> comm)
    {
        if (tid > 0)
        {
            Tell(time, pid, tid, comm, default);
        }
    }

    /// <summary>Notes that a thread with this id runs for the first time. Earlier facts about the id belong to another
    /// thread.</summary>
    /// <returns>False if its birth was already reported.</returns>
    internal bool IsBorn(int tid)
    {
        if (_known.TryGetValue(tid, out var known) && known.Name is null)
        {
            return false;
        }

        _known.Remove(tid);
        return true;
    }

    private void Tell(long time, int pid, int tid, ReadOnlySpan<byte> comm, Known known)
    {
        // For a thread without a known name, perf prints a word that begins with a colon.
        var isName = !comm.IsEmpty && comm[0] != ':';
        pid = pid >= 0 ? pid : OwnerOf(tid);
        if (isName)
        {
            known = new Known(pid, KeyOf(comm), Encoding.UTF8.GetString(comm[..Math.Min(comm.Length, NameBytes)]));
        }

        _known[tid] = known with { Pid = pid };
        if (known.Name is not null)
        {
            sink.ThreadName(time, pid, tid, known.Name);
        }
    }

    private static UInt128 KeyOf(ReadOnlySpan<byte> comm)
    {
        Span<byte> padded = stackalloc byte[NameBytes];
        comm[..Math.Min(comm.Length, NameBytes)].CopyTo(padded);
        return MemoryMarshal.Read<UInt128>(padded);
    }

    private readonly record struct Known(int Pid, UInt128 Key, string? Name);
}
