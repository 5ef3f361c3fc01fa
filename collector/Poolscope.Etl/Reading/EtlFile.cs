using System.Buffers;
using Microsoft.Win32.SafeHandles;
using Poolscope.Etl.Format;

namespace Poolscope.Etl.Reading;

/// <summary>An .etl file: its header, and the positions of its buffers. An invalid buffer ends the file: the reader
/// trusts no length in it. Memory: 48 bytes per buffer.</summary>
public sealed class EtlFile : IDisposable
{
    // Windows limits a buffer to 16 MB.
    private const int LargestBuffer = 16 << 20;

    // Limits the decompressed size of a file. Measured for a PerfView file: 4.7 times its size; events differ at least
    // in their times. Memory comes in powers of two, so the largest buffer of a small file takes twice this.
    private const long FixedBytes = 2 << 20;
    private const long UsedPerStored = 32;

    private const int PrefixBytes = 64;
    private const int PrefixStored = 256;

    private readonly SafeFileHandle _file;
    private readonly List<BufferPlace> _places = [];
    private long _used;

    private EtlFile(SafeFileHandle file, string name)
    {
        (_file, Name) = (file, name);
        Length = RandomAccess.GetLength(file);
        var first = new byte[BufferHeader.Bytes];
        if (!TryRead(first, 0))
        {
            throw new InvalidDataException($"{name} is not an .etl file: it is too short");
        }

        var header = BufferHeader.Read(first);
        Header = ReadHeader(header, out var ticks) ?? throw new InvalidDataException($"{name} is not an .etl file: it does not begin with a trace header");
        Clock = new EtlClock(Header, ticks);
        if (!Clock.IsKnown)
        {
            throw new InvalidDataException($"{name} cannot be read: its header has an impossible clock");
        }

        FindBuffers();
        _places.Sort(static (a, b) => (a.FirstNs, a.Offset).CompareTo((b.FirstNs, b.Offset)));
    }

    /// <summary>The name used in messages, without a folder.</summary>
    public string Name { get; }

    public long Length { get; }

    public FileHeader Header { get; }

    public EtlClock Clock { get; }

    /// <summary>The fault in the chain of buffers; null: none.</summary>
    public string? Damage { get; private set; }

    /// <summary>True if the last buffer is incomplete, counted buffers are missing, the chain has a fault, or the
    /// session never closed the file.</summary>
    public bool IsCut { get; private set; }

    /// <summary>The buffers in order of time.</summary>
    internal IReadOnlyList<BufferPlace> Places => _places;

    /// <exception cref="InvalidDataException">It is not an .etl file, or its header is damaged. The message is one line
    /// for the user.</exception>
    /// <exception cref="IOException">The file cannot be opened.</exception>
    public static EtlFile Open(string path) => Open(path, Path.GetFileName(path));

    /// <param name="name">The name used in messages.</param>
    /// <inheritdoc cref="Open(string)"/>
    public static EtlFile Open(string path, string name) => Open(File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read), name);

    /// <param name="file">The open file. This method takes ownership of it.</param>
    /// <inheritdoc cref="Open(string)"/>
    internal static EtlFile Open(SafeFileHandle file, string name)
    {
        try
        {
            return new EtlFile(file, name);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    public void Dispose() => _file.Dispose();

    /// <summary>Reads a buffer and decompresses it.</summary>
    /// <param name="used">Receives header and events: <see cref="BufferHeader.UsedBytes"/> bytes.</param>
    /// <returns>False if the buffer cannot be read or decompressed.</returns>
    internal bool TryLoad(in BufferPlace place, Span<byte> used)
    {
        var header = place.Header;
        if (!header.IsCompressed)
        {
            return TryRead(used, place.Offset);
        }

        var stored = ArrayPool<byte>.Shared.Rent((int)header.StoredBytes);
        try
        {
            var bytes = stored.AsSpan(0, (int)header.StoredBytes);
            return TryRead(bytes, place.Offset) && Xpress.TryDecompress(bytes[BufferHeader.Bytes..], used[BufferHeader.Bytes..]);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(stored);
        }
    }

    private FileHeader? ReadHeader(BufferHeader buffer, out long ticks)
    {
        ticks = 0;
        if (buffer.IsCompressed || buffer.UsedBytes <= BufferHeader.Bytes || buffer.UsedBytes > Math.Min(Length, LargestBuffer))
        {
            return null;
        }

        var bytes = new byte[Math.Min(buffer.UsedBytes, BufferHeader.Bytes + ushort.MaxValue)];
        if (!TryRead(bytes, 0) || EventHeader.Read(bytes.AsSpan(BufferHeader.Bytes)) is not { Kind: HeaderKind.System, Ticks: { } time } e)
        {
            return null;
        }

        var first = new EtlEvent(bytes.AsSpan(BufferHeader.Bytes), e, time: 0, cpu: 0);
        ticks = time;
        return first.Hook == KernelHooks.FileHeader ? FileHeader.Read(first.Payload) : null;
    }

    private void FindBuffers()
    {
        var bytes = new byte[BufferHeader.Bytes];
        var latest = Clock.FirstNs;
        var found = 0L;
        for (var at = 0L; at < Length;)
        {
            if (!TryRead(bytes, at))
            {
                IsCut = true;
                break;
            }

            var header = BufferHeader.Read(bytes);
            if (!bytes.AsSpan().ContainsAnyExcept((byte)0))
            {
                break; // space reserved for buffers that were never written
            }

            if (Refuse(header) is { } why)
            {
                Damage = $"byte {at}: {why}";
                break;
            }

            if (at + header.StoredBytes > Length)
            {
                IsCut = true;
                break;
            }

            _used += Math.Max(0, header.UsedBytes);
            if (header.UsedBytes > BufferHeader.Bytes || header.LostBefore)
            {
                latest = FirstTime(new BufferPlace(at, header, latest));
                _places.Add(new BufferPlace(at, header, latest));
            }

            at += header.StoredBytes;
            found++;
        }

        // A circular file overwrites buffers that its header counts.
        IsCut |= Header.EndTime == 0 || Damage is not null || (found < Header.BuffersWritten && !Header.IsCircular);
    }

    /// <summary>Returns what is invalid in a buffer's header, or null.</summary>
    private string? Refuse(BufferHeader header) =>
        header.StoredBytes < BufferHeader.Bytes || header.StoredBytes > LargestBuffer ? $"a buffer of {header.StoredBytes} bytes"
        : header.UsedBytes > LargestBuffer || (!header.IsCompressed && header.UsedBytes > header.StoredBytes) ? $"{header.UsedBytes} used bytes in a buffer of {header.StoredBytes}"
        : _used + header.UsedBytes > FixedBytes + (UsedPerStored * Length) ? $"buffers decompress to more than {UsedPerStored} times the file"
        : null;

    /// <summary>Returns the time of a buffer's first event from its first bytes, or the time of the buffer
    /// before.</summary>
    private long FirstTime(in BufferPlace place)
    {
        var used = (int)Math.Min(place.Header.UsedBytes, BufferHeader.Bytes + PrefixBytes);
        if (used <= BufferHeader.Bytes)
        {
            return place.FirstNs;
        }

        Span<byte> stored = stackalloc byte[PrefixStored];
        Span<byte> events = stackalloc byte[PrefixBytes];
        stored = stored[..(int)Math.Min(place.Header.StoredBytes - BufferHeader.Bytes, PrefixStored)];
        events = events[..(used - BufferHeader.Bytes)];
        if (!TryRead(stored, place.Offset + BufferHeader.Bytes))
        {
            return place.FirstNs;
        }

        if (place.Header.IsCompressed)
        {
            Xpress.TryDecompress(stored, events);
        }
        else
        {
            stored[..events.Length].CopyTo(events);
        }

        return EventHeader.PeekTicks(events) is { } ticks && Clock.Nanoseconds(ticks) is >= 0 and var ns ? ns : place.FirstNs;
    }

    private bool TryRead(Span<byte> bytes, long at)
    {
        for (var read = 0; read < bytes.Length;)
        {
            var more = RandomAccess.Read(_file, bytes[read..], at + read);
            if (more <= 0)
            {
                return false;
            }

            read += more;
        }

        return true;
    }
}
