using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace;

/// <summary>One event as the stream holds it. Valid only during the callback: the payload is a reused buffer.</summary>
internal readonly ref struct RawEvent(
    Guid provider, int id, long time, int tid, int pointerSize, ReadOnlySpan<byte> payload, ThreadIds? threads = null, Guid activity = default, Guid related = default)
{
    private readonly int _pointerSize = pointerSize;
    private readonly ThreadIds? _threads = threads;

    /// <summary>Provider GUID; on nettrace a hash of the provider's name.</summary>
    public Guid Provider { get; } = provider;

    public int Id { get; } = id;

    /// <summary>CLOCK_MONOTONIC ns.</summary>
    public long Time { get; } = time;

    /// <summary>The OS thread that wrote the event.</summary>
    public int Tid { get; } = threads?.Of(tid, time) ?? tid;

    /// <summary>The process of the thread; -1 if the file holds only one process or does not report it.</summary>
    public int ProcessId { get; init; } = StreamBounds.AnyProcess;

    /// <summary>The event's name; empty if the file does not report it.</summary>
    public string Name { get; init; } = "";

    public ReadOnlySpan<byte> Payload { get; } = payload;

    /// <summary>The activity that the thread worked for; empty if the event reports none.</summary>
    public Guid Activity { get; } = activity;

    /// <summary>The activity in which an activity began, on events that start one; empty if not reported.</summary>
    public Guid Related { get; } = related;

    /// <summary>Returns whether the payload has <paramref name="length"/> bytes. Older versions of an event are
    /// shorter.</summary>
    public bool Has(int length) => Payload.Length >= length;

    public int Int32(int offset) => BinaryPrimitives.ReadInt32LittleEndian(Payload[offset..]);

    public long Int64(int offset) => BinaryPrimitives.ReadInt64LittleEndian(Payload[offset..]);

    /// <summary>Converts an OS thread id in the payload to the id in the kernel's events.</summary>
    public int Thread(int id) => _threads?.Of(id, Time) ?? id;

    public ushort UInt16(int offset) => BinaryPrimitives.ReadUInt16LittleEndian(Payload[offset..]);

    public double Float64(int offset) => BinaryPrimitives.ReadDoubleLittleEndian(Payload[offset..]);

    /// <summary>Returns the offset of a field after <paramref name="bytes"/> bytes of fixed size and
    /// <paramref name="pointers"/> pointers.</summary>
    public int Offset(int bytes, int pointers) => bytes + (pointers * _pointerSize);

    public long Pointer(int offset) => _pointerSize == 8 ? Int64(offset) : (uint)Int32(offset);
}

/// <summary>Receives events in order of time.</summary>
internal delegate void RawEventHandler(in RawEvent e);
