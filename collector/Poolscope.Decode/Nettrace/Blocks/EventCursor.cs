using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>How the headers of a block's events are written.</summary>
internal enum EventHeaders : byte
{
    /// <summary>Of versions 4 and 5: what did not change is left out.</summary>
    Compressed,

    /// <summary>Of version 6: likewise; threads are reported by indices, activities by lists of labels.</summary>
    CompressedV6,

    /// <summary>Of version 6: all fields, in their full size.</summary>
    WholeV6,
}

/// <summary>Walks the events of a block. Compressed headers tell only what differs from the one before.
/// Never reads outside of the block, whatever it holds.</summary>
internal ref struct EventCursor(ReadOnlySpan<byte> events, EventHeaders headers = EventHeaders.Compressed)
{
    // Which fields a header holds.
    private const int HasMetadataId = 1;
    private const int HasSequence = 2;
    private const int HasThreadId = 4;
    private const int HasStackId = 8;
    private const int HasActivity = 16;
    private const int HasRelatedActivity = 32;
    private const int SortedEvent = 64;
    private const int HasLength = 128;
    private const int GuidBytes = 16;
    private const int LongestVariable = 10;
    private const int WholeHeaderBytes = 52;
    private const uint SortedBit = 1U << 31;

    private readonly ReadOnlySpan<byte> _events = events;
    private readonly EventHeaders _headers = headers;
    private int _at;

    public int MetadataId { get; private set; }

    /// <summary>Of version 6: the thread's index.</summary>
    public long ThreadId { get; private set; }

    /// <summary>Thread in whose buffer the event was, which numbers its events; another than <see cref="ThreadId"/> for
    /// events told on behalf of a thread.</summary>
    public long CaptureThreadId { get; private set; }

    /// <summary>Number of the event among those of <see cref="CaptureThreadId"/>, the dropped ones counted.</summary>
    public uint Sequence { get; private set; }

    /// <summary>CPU that the event was written on.</summary>
    public int Processor { get; private set; }

    public int StackId { get; private set; }

    /// <summary>Of version 6: its list of labels; 0: none.</summary>
    public uint LabelListId { get; private set; }

    public long Ticks { get; private set; }

    /// <summary>Where the activity's id begins, counted from the start of the events: in this header or, if that repeats
    /// the one before, in an earlier one. -1: none.</summary>
    public int ActivityOffset { get; private set; } = -1;

    /// <summary>The same of the activity that this one began in.</summary>
    public int RelatedOffset { get; private set; } = -1;

    /// <summary>Nothing that comes later in the file is older.</summary>
    public bool IsSorted { get; private set; }

    /// <summary>The event may come from another thread's buffer than the one before it, or bear a number that does not follow.</summary>
    public bool BeginsRun { get; private set; }

    /// <summary>First byte of the payload, counted from the start of the events.</summary>
    public int PayloadOffset { get; private set; }

    public int PayloadLength { get; private set; }

    public readonly ReadOnlySpan<byte> Payload => _events.Slice(PayloadOffset, PayloadLength);

    /// <summary>The walk ended because a header or a payload reaches beyond the block.</summary>
    public bool IsDamaged { get; private set; }

    /// <summary>After the walk: whether it came to the end of the block.</summary>
    /// <exception cref="NettraceDamage">It did not.</exception>
    public readonly void RequireWhole()
    {
        if (IsDamaged)
        {
            throw new NettraceDamage("an event reaches beyond its block");
        }
    }

    /// <returns>False: the block ends here, or is damaged.</returns>
    public bool Next()
    {
        if (_at >= _events.Length)
        {
            return false;
        }

        if (_headers == EventHeaders.WholeV6)
        {
            return NextWhole();
        }

        var has = _events[_at++];
        IsSorted = (has & SortedEvent) != 0;
        BeginsRun = (has & (HasSequence | SortedEvent)) != 0;
        if ((has & HasMetadataId) != 0)
        {
            MetadataId = (int)Variable();
        }

        if ((has & HasSequence) != 0)
        {
            Sequence += (uint)Variable();
            CaptureThreadId = (long)Variable();
            Processor = (int)Variable();
        }

        // What a header shows of the number is by how much it is off from the next one.
        if (MetadataId != 0 || _headers != EventHeaders.Compressed)
        {
            Sequence++;
        }
        else
        {
            BeginsRun = true;
        }

        if ((has & HasThreadId) != 0)
        {
            ThreadId = (long)Variable();
        }

        if ((has & HasStackId) != 0)
        {
            StackId = (int)Variable();
        }

        Ticks += (long)Variable();
        if (_headers == EventHeaders.Compressed)
        {
            ReadActivities(has);
        }
        else if ((has & HasActivity) != 0)
        {
            LabelListId = (uint)Variable();
        }

        if ((has & HasLength) != 0)
        {
            PayloadLength = (int)Variable();
        }

        return TakePayload();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ReadActivities(int has)
    {
        if ((has & HasActivity) != 0)
        {
            ActivityOffset = _at;
            _at += GuidBytes;
        }

        if ((has & HasRelatedActivity) != 0)
        {
            RelatedOffset = _at;
            _at += GuidBytes;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TakePayload()
    {
        if (IsDamaged || PayloadLength < 0 || _at > _events.Length - PayloadLength)
        {
            IsDamaged = true;
            return false;
        }

        PayloadOffset = _at;
        _at += PayloadLength;
        return true;
    }

    /// <summary>Size of what follows, kind, number (u32 each), thread and capturing thread (u64 each), processor, stack (u32 each),
    /// time (u64), labels, size of the payload (u32 each). The highest bit of the kind says whether the event is sorted, or that it is
    /// not: the published description says the one, runtimes and TraceEvent do the other. None is taken as sorted, which is true
    /// either way: they are in order between sequence points.</summary>
    private bool NextWhole()
    {
        if (_events.Length - _at < WholeHeaderBytes)
        {
            IsDamaged = true;
            return false;
        }

        var header = _events.Slice(_at, WholeHeaderBytes);
        var kind = BinaryPrimitives.ReadUInt32LittleEndian(header[4..]);
        (MetadataId, BeginsRun) = ((int)(kind & ~SortedBit), true);
        Sequence = BinaryPrimitives.ReadUInt32LittleEndian(header[8..]);
        ThreadId = BinaryPrimitives.ReadInt64LittleEndian(header[12..]);
        CaptureThreadId = BinaryPrimitives.ReadInt64LittleEndian(header[20..]);
        Processor = BinaryPrimitives.ReadInt32LittleEndian(header[28..]);
        StackId = BinaryPrimitives.ReadInt32LittleEndian(header[32..]);
        Ticks = BinaryPrimitives.ReadInt64LittleEndian(header[36..]);
        LabelListId = BinaryPrimitives.ReadUInt32LittleEndian(header[44..]);
        PayloadLength = BinaryPrimitives.ReadInt32LittleEndian(header[48..]);
        _at += WholeHeaderBytes;
        IsDamaged |= BinaryPrimitives.ReadUInt32LittleEndian(header) != (ulong)(uint)PayloadLength + WholeHeaderBytes - sizeof(uint);
        return TakePayload();
    }

    /// <summary>Seven bits a byte, lowest first; the eighth says that more follow. Most numbers have one byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Variable() => _at < _events.Length && _events[_at] is var first and < 0x80 ? Took(first) : LongVariable();

    private ulong Took(byte value)
    {
        _at++;
        return value;
    }

    private ulong LongVariable()
    {
        var value = 0UL;
        for (var count = 0; count < LongestVariable && _at < _events.Length; count++)
        {
            var next = _events[_at++];
            value |= (ulong)(next & 0x7f) << (7 * count);
            if (next < 0x80)
            {
                return value;
            }
        }

        IsDamaged = true;
        return 0;
    }
}
