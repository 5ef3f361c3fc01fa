using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Memory.Threads;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Reads a process of another pid namespace. The runtime there knows its threads by other ids, and ClrMD walks
/// no stack of a thread that the reader cannot find.</summary>
internal sealed class NamespacedReader(IDataReader inner, ThreadNumbers numbers) : IDataReader, IDisposable
{
    public string DisplayName => inner.DisplayName;

    public bool IsThreadSafe => inner.IsThreadSafe;

    public OSPlatform TargetPlatform => inner.TargetPlatform;

    public Architecture Architecture => inner.Architecture;

    public int ProcessId => inner.ProcessId;

    public int PointerSize => inner.PointerSize;

    public IEnumerable<ModuleInfo> EnumerateModules() => inner.EnumerateModules();

    public bool GetThreadContext(uint threadID, uint contextFlags, Span<byte> context) => inner.GetThreadContext(numbers.Here(threadID), contextFlags, context);

    public void FlushCachedData() => inner.FlushCachedData();

    public int Read(ulong address, Span<byte> buffer) => inner.Read(address, buffer);

    public bool Read<T>(ulong address, out T value)
        where T : unmanaged => inner.Read(address, out value);

    public T Read<T>(ulong address)
        where T : unmanaged => inner.Read<T>(address);

    public bool ReadPointer(ulong address, out ulong value) => inner.ReadPointer(address, out value);

    public ulong ReadPointer(ulong address) => inner.ReadPointer(address);

    public void Dispose() => (inner as IDisposable)?.Dispose();
}
