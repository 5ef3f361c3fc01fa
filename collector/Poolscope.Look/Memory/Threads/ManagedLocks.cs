using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory.Threads;

/// <summary>Reads the locks of type System.Threading.Lock that threads wait for. Since .NET 11, a contended monitor is
/// one, too. The runtime has no list of them: each waiter's stack holds the lock that it waits for.</summary>
internal sealed class ManagedLocks(ClrRuntime runtime)
{
    private const string Lock = "System.Threading.Lock";

    /// <summary>The wait itself takes less than this much of the stack, bytes.</summary>
    private const int NearTheTop = 4096;

    /// <summary>A thread waits for a lock only if one of this many innermost frames is a method of the lock.</summary>
    private const int InnermostFrames = 12;

    // Bits of the field _state of System.Threading.Lock.
    private const uint IsLocked = 1;
    private const int WaiterCountShift = 6;

    private readonly ulong _type = runtime.BaseClassLibrary.GetTypeByName(Lock)?.MethodTable ?? 0;
    private readonly Dictionary<ulong, int> _waiters = [];

    /// <summary>Notes the lock that a thread waits for, if any.</summary>
    /// <param name="top">Address of the thread's innermost managed frame.</param>
    public void Note(ThreadLine line, ulong top)
    {
        if (_type == 0 || top == 0 || !line.Frames.Take(InnermostFrames).Any(static frame => frame.Contains($"!{Lock}.", StringComparison.Ordinal)))
        {
            return;
        }

        Span<byte> stack = stackalloc byte[NearTheTop];
        var read = runtime.DataTarget.DataReader.Read(top, stack);
        var found = new HashSet<ulong>();
        for (var at = 0; at + sizeof(ulong) <= read; at += sizeof(ulong))
        {
            var address = BitConverter.ToUInt64(stack[at..]);
            if (address != 0 && (address & 7) == 0 && runtime.DataTarget.DataReader.ReadPointer(address, out var type) && type == _type && IsWaitedFor(address))
            {
                found.Add(address);
            }
        }

        // With two locks, it is unknown which one the thread waits for.
        if (found.Count == 1)
        {
            var address = found.First();
            _waiters[address] = _waiters.GetValueOrDefault(address) + 1;
        }
    }

    /// <summary>Returns the noted locks, with the number of threads seen waiting and, if known, the owner.</summary>
    public IEnumerable<LockLine> Read(IReadOnlyList<ClrThread> threads)
    {
        foreach (var (address, waiting) in _waiters)
        {
            var held = runtime.Heap.GetObject(address);
            yield return new LockLine(Lock, Owner(held) is { } id ? threads.FirstOrDefault(thread => thread.ManagedThreadId == id)?.OSThreadId : null, waiting);
        }
    }

    private bool IsWaitedFor(ulong address) =>
        runtime.Heap.GetObject(address).TryReadField("_state", out uint state) && (state & IsLocked) != 0 && state >> WaiterCountShift > 0;

    /// <summary>Returns the managed id of the thread that holds the lock, or null if no thread does or this runtime
    /// keeps it elsewhere.</summary>
    private static int? Owner(ClrObject held)
    {
        if (held.Type?.GetFieldByName("_owningThreadId") is not { } field)
        {
            return null;
        }

        var id = field.IsPrimitive ? held.TryReadField("_owningThreadId", out int plain) ? plain : 0
            : held.ReadValueTypeField(field) is { IsValid: true, Type: { } kept } inner && kept.GetFieldByName("_id") is not null ? inner.ReadField<int>("_id")
            : 0;
        return id > 0 ? id : null;
    }
}
