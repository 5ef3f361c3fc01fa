using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>The format of the event headers in a block.</summary>
internal enum EventHeaders : byte
{
    /// <summary>Versions 4 and 5: a header omits fields that did not change.</summary>
    Compressed,

    /// <summary>Version 6, compressed likewise: indices stand for threads, lists of labels for activities.</summary>
    CompressedV6,

    /// <summary>Version 6: all fields in full size.</summary>
    WholeV6,
}

/// <summary>Walks the events of a block. A compressed header holds only the fields that differ from the header before.
/// Never reads outside the block, whatever its contents.</summary>
internal ref struct EventCursor(ReadOnlySpan<byte> events, EventHeaders headers = EventHeaders.Compressed)
{
    // Flags for the fields that a header holds.
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

    /// <summary>The id of the thread; in version 6, its index.</summary>
    public long ThreadId { get; private set; }

    /// <summary>The thread whose buffer held the event and which numbers its events. It differs from
    /// <see cref="ThreadId"/> if it wrote the event on behalf of another thread.</summary>
    public long CaptureThreadId { get; private set; }

    /// <summary>The event's number among those of <see cref="CaptureThreadId"/>, including dropped events.</summary>
    public uint Sequence { get; private set; }

    /// <summary>The CPU on which the event was written.</summary>
    public int Processor { get; private set; }

    public int StackId { get; private set; }

    /// <summary>The event's list of labels in version 6; 0 if it has none.</summary>
    public uint LabelListId { get; private set; }

    public long Ticks { get; private set; }

    /// <summary>The offset of the activity's id from the start of the events; -1 if there is none. The id is in an
    /// earlier header if this header repeats that header's activity.</summary>
    public int ActivityOffset { get; private set; } = -1;

    /// <summary>The same offset for the activity in which this activity began.</summary>
    public int RelatedOffset { get; private set; } = -1;

    /// <summary>Whether no later event in the file is older.</summary>
    public bool IsSorted { get; private set; }

    /// <summary>Whether the event may come from another thread's buffer than the event before it, or have a number that
    /// does not follow.</summary>
    public bool BeginsRun { get; private set; }

    /// <summary>The offset of the payload from the start of the events.</summary>
    public int PayloadOffset { get; private set; }

    public int PayloadLength { get; private set; }

    public readonly ReadOnlySpan<byte> Payload => _events.Slice(PayloadOffset, PayloadLength);

    /// <summary>Whether the walk ended because a header or a payload reaches beyond the block.</summary>
    public bool IsDamaged { get; private set; }

    /// <summary>Checks, after the walk, that it reached the end of the block.</summary>
    /// <exception cref="NettraceDamage">The walk ended before the end of the block.</exception>
    public readonly void RequireWhole()
    {
        if (IsDamaged)
        {
            throw new NettraceDamage("an event reaches beyond its block");
        }
    }

    /// <returns>False at the end of the block, or if the block is damaged.</returns>
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

        // A header stores the difference between the event's number and the next expected number.
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

    /// <summary>Reads an uncompressed header: size of the rest, kind, number (u32 each), thread and capturing thread
    /// (u64 each), processor, stack (u32 each), time (u64), labels, payload size (u32 each). The highest bit of the
    /// kind says that the event is sorted, or that it is not: the published description says the first, runtimes and
    /// TraceEvent do the second. The cursor reports no event as sorted, which is correct either way: events are in
    /// order between sequence points.</summary>
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

    /// <summary>Reads a variable-length number: seven bits a byte, lowest first. The eighth bit says that more bytes
    /// follow. Most numbers have one byte.</summary>
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
