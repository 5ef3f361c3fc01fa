using System.Buffers;
using System.Buffers.Binary;
using Poolscope.Etl.Format;

namespace Poolscope.Etl.Reading;

/// <summary>A buffer in memory: its events, in order of time.</summary>
internal sealed class OpenBuffer : IDisposable
{
    // Fills a buffer from its last event to its end.
    private const uint Padding = 0xFFFF_FFFF;

    private readonly byte[] _bytes;
    private readonly EtlFile _file;
    private (long Time, int Offset)[] _events = ArrayPool<(long, int)>.Shared.Rent(1024);
    private int _count;
    private int _at;

    private OpenBuffer(EtlFile file, int fileIndex, in BufferPlace place)
    {
        (_file, FileIndex, Cpu, LatestNs, IsFirst) = (file, fileIndex, place.Header.Cpu, place.FirstNs, place.Offset == 0);
        var used = (int)place.Header.UsedBytes;
        _bytes = ArrayPool<byte>.Shared.Rent(Math.Max(1, used));
        if (!file.TryLoad(place, _bytes.AsSpan(0, used)))
        {
            Damage = $"byte {place.Offset}: a buffer cannot be decompressed";
            return;
        }

        if (FindEvents(used) is { } why)
        {
            Damage = $"byte {place.Offset}: {why}";
        }
    }

    /// <summary>The index of the buffer's file.</summary>
    public int FileIndex { get; }

    public int Cpu { get; }

    /// <summary>True if the buffer begins its file. That buffer is never overwritten.</summary>
    public bool IsFirst { get; }

    /// <summary>The first fault in the buffer; null: none. Events from there on are left out.</summary>
    public string? Damage { get; }

    /// <summary>Time of the last event; without events, <see cref="BufferPlace.FirstNs"/>.</summary>
    public long LatestNs { get; private set; }

    public bool IsEmpty => _at == _count;

    /// <summary>Time of the next event.</summary>
    public long NextNs => _events[_at].Time;

    public static OpenBuffer Open(EtlFile file, int fileIndex, in BufferPlace place) => new(file, fileIndex, place);

    /// <summary>Returns the next event, stamped with <paramref name="time"/>: its own time or a later one.</summary>
    public EtlEvent Peek(long time)
    {
        var bytes = _bytes.AsSpan(_events[_at].Offset);
        return new EtlEvent(bytes, EventHeader.Read(bytes).GetValueOrDefault(), time, Cpu);
    }

    public void Skip() => _at++;

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_bytes);
        ArrayPool<(long, int)>.Shared.Return(_events);
        _events = [];
        (_count, _at) = (0, 0);
    }

    private string? FindEvents(int used)
    {
        var ordered = true;
        for (var at = BufferHeader.Bytes; used - at >= EventHeader.Alignment;)
        {
            var bytes = _bytes.AsSpan(at, used - at);
            if (BinaryPrimitives.ReadUInt32LittleEndian(bytes) == Padding)
            {
                return null;
            }

            if (EventHeader.Read(bytes) is not { } header)
            {
                return $"no event can begin {at} bytes into its buffer";
            }

            // An event without a time takes the time of the event before it.
            var time = header.Ticks is { } ticks ? _file.Clock.Nanoseconds(ticks) : LatestNs;
            if (time < 0)
            {
                return $"an event {at} bytes into its buffer has a time that cannot be true";
            }

            ordered &= time >= LatestNs || _count == 0;
            LatestNs = _count == 0 ? time : Math.Max(LatestNs, time);
            Add(time, at);
            at += (header.Bytes + EventHeader.Alignment - 1) & ~(EventHeader.Alignment - 1);
        }

        if (!ordered)
        {
            Array.Sort(_events, 0, _count); // by time, then by offset
        }

        return null;
    }

    private void Add(long time, int offset)
    {
        if (_count == _events.Length)
        {
            var larger = ArrayPool<(long, int)>.Shared.Rent(2 * _count);
            _events.AsSpan().CopyTo(larger);
            ArrayPool<(long, int)>.Shared.Return(_events);
            _events = larger;
        }

        _events[_count++] = (time, offset);
    }
}
