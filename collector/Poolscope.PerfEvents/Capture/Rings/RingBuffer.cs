using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>The contents of a ring at one moment: one piece, or two if it wraps around.</summary>
internal readonly ref struct RingContent(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
{
    internal ReadOnlySpan<byte> First { get; } = first;

    internal ReadOnlySpan<byte> Second { get; } = second;

    internal int Length => First.Length + Second.Length;

    /// <summary>Returns the content from a position on, at least 8 bytes of it. Records are multiples of 8 bytes, so no
    /// 8 aligned bytes span the two pieces.</summary>
    /// <param name="at">A multiple of 8.</param>
    internal ReadOnlySpan<byte> From(int at) => at < First.Length ? First[at..] : Second[(at - First.Length)..];

    /// <summary>Copies the content from a position on, as far as it fits.</summary>
    /// <returns>Number of bytes copied.</returns>
    internal int CopyTo(int at, Span<byte> room)
    {
        var copied = 0;
        if (at < First.Length)
        {
            copied = Math.Min(First.Length - at, room.Length);
            First.Slice(at, copied).CopyTo(room);
        }

        var rest = Math.Min(Length - at - copied, room.Length - copied);
        Second.Slice(Math.Max(0, at + copied - First.Length), rest).CopyTo(room[copied..]);
        return copied + rest;
    }
}

/// <summary>The ring buffer into which the kernel writes one CPU's records. It has one reader.</summary>
internal sealed unsafe class RingBuffer : IDisposable
{
    // Offsets in struct perf_event_mmap_page. Both positions only grow; modulo the size, they are offsets in the ring.
    private const int HeadOffset = 1024;
    private const int TailOffset = 1032;

    private readonly nuint _length;
    private readonly int _size;
    private byte* _mapping;
    private ulong _tail;
    private ulong _head;

    /// <param name="fd">The event that owns the ring. Other events of the same CPU are sent to it.</param>
    /// <param name="size">Bytes for records: a power of two, at least one page.</param>
    internal RingBuffer(int fd, int cpu, int size)
    {
        Fd = fd;
        Cpu = cpu;
        _size = size;
        _length = (nuint)(size + Environment.SystemPageSize);
        var mapping = Libc.Mmap(0, _length, Libc.ProtRead | Libc.ProtWrite, Libc.MapShared, fd, 0);
        if ((nint)mapping == -1)
        {
            throw Refusal.Of($"mmap of a {size >> 10} kB ring", Marshal.GetLastPInvokeError());
        }

        _mapping = mapping;
    }

    /// <summary>The descriptor to poll: readable when the ring is half full.</summary>
    internal int Fd { get; }

    internal int Cpu { get; }

    /// <summary>Sends the records of another event of the same CPU to this ring.</summary>
    internal void Adopt(OpenEvent other)
    {
        if (other.Fd(Cpu) is { } fd)
        {
            Adopt(fd);
        }
    }

    /// <param name="fd">Descriptor of an event of the same CPU.</param>
    internal void Adopt(int fd)
    {
        if (Libc.Ioctl(fd, Libc.PerfIoctl.SetOutput, Fd) != 0)
        {
            throw Refusal.Of("ioctl(PERF_EVENT_IOC_SET_OUTPUT)", Marshal.GetLastPInvokeError());
        }
    }

    /// <summary>Returns the records since the last <see cref="Release"/>. They are complete, and each is a multiple of
    /// 8 bytes long, so no 8-byte field spans the two pieces.</summary>
    internal RingContent Peek()
    {
        _head = Head();
        return Between(_tail, _head);
    }

    /// <summary>The records of the last <see cref="Peek"/>, which are not released yet.</summary>
    internal RingContent Peeked => Between(_tail, _head);

    /// <summary>Returns the records since the last <see cref="Peek"/>. They stay in the ring.</summary>
    internal RingContent LookAhead() => Between(_head, Head());

    /// <summary>Reads the head with acquire semantics: the records before it must be visible afterwards.</summary>
    private ulong Head() => Volatile.Read(ref *(ulong*)(_mapping + HeadOffset));

    private RingContent Between(ulong from, ulong to)
    {
        var length = (int)(to - from);
        var start = (int)(from & (ulong)(_size - 1));
        var first = Math.Min(length, _size - start);
        var data = _mapping + Environment.SystemPageSize;
        return new RingContent(new ReadOnlySpan<byte>(data + start, first), new ReadOnlySpan<byte>(data, length - first));
    }

    /// <summary>Returns the space of the peeked records to the kernel.</summary>
    internal void Release()
    {
        _tail = _head;
        Volatile.Write(ref *(ulong*)(_mapping + TailOffset), _tail);
    }

    public void Dispose()
    {
        if (_mapping != null)
        {
            _ = Libc.Munmap(_mapping, _length);
            _mapping = null;
        }
    }
}
