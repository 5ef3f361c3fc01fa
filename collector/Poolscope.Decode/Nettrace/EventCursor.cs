namespace Poolscope.Decode.Nettrace;

/// <summary>Walks the events of a block with compressed headers: each header tells only what differs from the one before.</summary>
internal ref struct EventCursor(ReadOnlySpan<byte> events)
{
    // Which fields a header holds.
    private const int HasMetadataId = 1;
    private const int HasSequence = 2;
    private const int HasThreadId = 4;
    private const int HasStackId = 8;
    private const int HasActivity = 16;
    private const int HasRelatedActivity = 32;
    private const int HasLength = 128;
    private const int GuidBytes = 16;

    private readonly ReadOnlySpan<byte> _events = events;
    private int _at;
    private int _length;

    public int MetadataId { get; private set; }

    public long ThreadId { get; private set; }

    /// <summary>Thread in whose buffer the event was, which numbers its events; another than <see cref="ThreadId"/> for
    /// events told on behalf of a thread.</summary>
    public long CaptureThreadId { get; private set; }

    /// <summary>Number of the event among those of <see cref="CaptureThreadId"/>, the dropped ones counted.</summary>
    public uint Sequence { get; private set; }

    public int StackId { get; private set; }

    public long Ticks { get; private set; }

    public ReadOnlySpan<byte> Payload { get; private set; }

    /// <exception cref="IndexOutOfRangeException">The block is damaged.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The block is damaged.</exception>
    public bool Next()
    {
        if (_at >= _events.Length)
        {
            return false;
        }

        var has = _events[_at++];
        if ((has & HasMetadataId) != 0)
        {
            MetadataId = (int)Variable();
        }

        if ((has & HasSequence) != 0)
        {
            Sequence += (uint)Variable();
            CaptureThreadId = (long)Variable();
            Variable(); // processor
        }

        // What a header tells of the number is by how much it is off from the next one.
        Sequence += MetadataId != 0 ? 1u : 0u;

        if ((has & HasThreadId) != 0)
        {
            ThreadId = (long)Variable();
        }

        if ((has & HasStackId) != 0)
        {
            StackId = (int)Variable();
        }

        Ticks += (long)Variable();
        _at += (has & HasActivity) != 0 ? GuidBytes : 0;
        _at += (has & HasRelatedActivity) != 0 ? GuidBytes : 0;
        if ((has & HasLength) != 0)
        {
            _length = (int)Variable();
        }

        Payload = _events.Slice(_at, _length);
        _at += _length;
        return true;
    }

    /// <summary>Seven bits a byte, lowest first; the eighth says that more follow.</summary>
    private ulong Variable()
    {
        var value = 0UL;
        for (var shift = 0; ; shift += 7)
        {
            var next = _events[_at++];
            value |= (ulong)(next & 0x7f) << shift;
            if (next < 0x80)
            {
                return value;
            }
        }
    }
}
