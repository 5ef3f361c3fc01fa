using System.Globalization;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Schedstat;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Schedstat;

/// <summary>One thread of the target, with its files held open. The kernel generates a file each time it is read from
/// its start, and returns ESRCH once the thread has ended, even if another thread has its id.</summary>
internal sealed unsafe class WatchedThread : IDisposable
{
    /// <summary>The size of a buffer for either file: 52 numbers of up to 20 digits, and a name.</summary>
    internal const int BufferBytes = 1200;

    private readonly int _counters;
    private readonly int _stat;
    private readonly byte[] _name = new byte[SchedstatFormat.NameBytes];
    private int _nameLength;

    private WatchedThread(int tid, int counters, int stat) => (Tid, _counters, _stat) = (tid, counters, stat);

    public int Tid { get; }

    /// <summary>The time of the last reading, in CLOCK_MONOTONIC ns.</summary>
    public long ReadAt { get; set; }

    /// <summary>The counters as last read.</summary>
    public ThreadCounters Counters { get; set; }

    /// <summary>The state as last read, which may be outdated while the thread sleeps.</summary>
    public char State { get; set; } = '?';

    public ReadOnlySpan<byte> Name => _name.AsSpan(0, _nameLength);

    /// <returns>Null if the thread has ended, or there is no file descriptor for it.</returns>
    public static WatchedThread? Open(ProcFs proc, int pid, int tid)
    {
        var counters = Libc.OpenToRead(proc.PathOf(pid, string.Create(CultureInfo.InvariantCulture, $"task/{tid}/schedstat")));
        var stat = counters < 0 ? -1 : Libc.OpenToRead(proc.PathOf(pid, string.Create(CultureInfo.InvariantCulture, $"task/{tid}/stat")));
        if (stat >= 0)
        {
            return new WatchedThread(tid, counters, stat);
        }

        _ = counters < 0 ? 0 : Libc.Close(counters);
        return null;
    }

    /// <param name="buffer">A buffer of <see cref="BufferBytes"/> bytes.</param>
    /// <returns>False if the thread has ended.</returns>
    public bool TryReadCounters(Span<byte> buffer, out ThreadCounters counters) =>
        ThreadCounters.TryParse(Read(_counters, buffer), out counters);

    /// <param name="buffer">A buffer of <see cref="BufferBytes"/> bytes.</param>
    /// <returns>False if the thread has ended.</returns>
    public bool TryReadStat(Span<byte> buffer, out ThreadStat stat) => ThreadStat.TryParse(Read(_stat, buffer), out stat);

    /// <returns>False if the thread has this name already.</returns>
    public bool Rename(ReadOnlySpan<byte> name)
    {
        name = name[..Math.Min(name.Length, _name.Length)];
        if (Name.SequenceEqual(name))
        {
            return false;
        }

        name.CopyTo(_name);
        _nameLength = name.Length;
        return true;
    }

    public void Dispose()
    {
        _ = Libc.Close(_counters);
        _ = Libc.Close(_stat);
    }

    private static ReadOnlySpan<byte> Read(int fd, Span<byte> buffer)
    {
        fixed (byte* to = buffer)
        {
            return buffer[..(int)Math.Max(0, Libc.ReadAt(fd, to, (nuint)buffer.Length, 0))];
        }
    }
}
