using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Fuzz.Dumps;

/// <summary>Wraps a memory reader and notes the bytes that are read: damage elsewhere changes nothing.</summary>
internal sealed class NotingReader(IDataReader inner) : IDataReader
{
    private readonly HashSet<(ulong Address, int Length)> _read = [];

    /// <summary>Gets the addresses that were read, with lengths in bytes.</summary>
    public IReadOnlyCollection<(ulong Address, int Length)> Noted => _read;

    public string DisplayName => inner.DisplayName;

    public bool IsThreadSafe => false;

    public OSPlatform TargetPlatform => inner.TargetPlatform;

    public Architecture Architecture => inner.Architecture;

    public int ProcessId => inner.ProcessId;

    public int PointerSize => inner.PointerSize;

    public IEnumerable<ModuleInfo> EnumerateModules() => inner.EnumerateModules();

    public bool GetThreadContext(uint threadID, uint contextFlags, Span<byte> context) => inner.GetThreadContext(threadID, contextFlags, context);

    public void FlushCachedData() => inner.FlushCachedData();

    public int Read(ulong address, Span<byte> buffer)
    {
        _read.Add((address, buffer.Length));
        return inner.Read(address, buffer);
    }

    public bool Read<T>(ulong address, out T value)
        where T : unmanaged
    {
        _read.Add((address, Marshal.SizeOf<T>()));
        return inner.Read(address, out value);
    }

    public T Read<T>(ulong address)
        where T : unmanaged => Read(address, out T value) ? value : default;

    public bool ReadPointer(ulong address, out ulong value) => Read(address, out value);

    public ulong ReadPointer(ulong address) => Read<ulong>(address);
}
