using System.Text;

namespace Poolscope.Fuzz.Corpus;

/// <summary>The properties of a written .etl file.</summary>
internal sealed record EtlWriting
{
    public int PointerSize { get; init; } = 8;

    /// <summary>1: performance counter, 2: system time, 3: cycles.</summary>
    public int Clock { get; init; } = 1;

    public long PerfFreq { get; init; } = 10_000_000;

    public int CpuMHz { get; init; } = 3000;

    /// <summary>Time stamp of the file's first event.</summary>
    public long FirstTicks { get; init; } = 100_000_000;

    public int BufferBytes { get; init; } = 4096;

    public bool Compressed { get; init; }

    public int Processors { get; init; } = 2;

    public int Mode { get; init; } = 1;

    /// <summary>The time at which the session ended, FILETIME; 0: it never closed the file.</summary>
    public long EndTime { get; init; } = 133_000_000_600_000_000;

    public int EventsLost { get; init; }

    public int BuffersLost { get; init; }

    public long BootTime { get; init; } = 132_999_999_000_000_000;
}

/// <summary>Writes an .etl file byte by byte, from the layouts that Windows documents and those found in its files.
/// Events of a processor fill one buffer after the other, and each buffer is written when it is full, as in a
/// session.</summary>
internal sealed class EtlWriter(EtlWriting how)
{
    private const int BufferHeaderBytes = 72;
    private const int ProcessorIndex = 0x20;
    private const int Compressed = 0x40;

    private readonly List<byte[]> _written = [];
    private readonly SortedDictionary<int, List<byte>> _filling = [];
    private readonly Dictionary<int, int> _flags = [];

    /// <summary>Adds an event of the kernel.</summary>
    /// <param name="hook">Group and opcode.</param>
    /// <param name="tid">Less than 0: the header has no thread and process.</param>
    public void Kernel(int hook, long ticks, int cpu, byte[] payload, int pid = -1, int tid = -1, int version = 2)
    {
        var wide = how.PointerSize == 8 ? 1 : 0;
        var head = tid < 0 ? 16 : 32;
        Add(cpu,
        [
            .. UInt16(version), (byte)((tid < 0 ? 16 : 1) + wide), 0xC0, .. UInt16(head + payload.Length), .. UInt16(hook),
            .. tid < 0 ? BitConverter.GetBytes(ticks) : [.. Int32(tid), .. Int32(pid), .. BitConverter.GetBytes(ticks), .. Int32(0), .. Int32(0)],
            .. payload,
        ]);
    }

    /// <summary>Adds an event of the kernel with its compact header, which has no times of the processor.</summary>
    public void Compact(int hook, long ticks, int cpu, byte[] payload, int pid, int tid) => Add(cpu,
    [
        .. UInt16(2), (byte)(how.PointerSize == 8 ? 4 : 3), 0xC0, .. UInt16(24 + payload.Length), .. UInt16(hook),
        .. Int32(tid), .. Int32(pid), .. BitConverter.GetBytes(ticks), .. payload,
    ]);

    /// <summary>Adds an event of a class.</summary>
    public void Classic(Guid kernelClass, int opcode, long ticks, int cpu, byte[] payload, int pid, int tid) => Add(cpu,
    [
        .. UInt16(48 + payload.Length), (byte)(how.PointerSize == 8 ? 20 : 10), 0xC0, (byte)opcode, 0, .. UInt16(2), .. Int32(tid), .. Int32(pid),
        .. BitConverter.GetBytes(ticks), .. kernelClass.ToByteArray(), .. Int32(0), .. Int32(0), .. payload,
    ]);

    /// <summary>Adds a WPP message, which has no time where others have theirs.</summary>
    public void Message(int cpu, byte[] payload) =>
        Add(cpu, [.. UInt16(8 + payload.Length), 0, 0x90, .. UInt16(7), .. UInt16(0), .. payload]);

    /// <summary>Adds an event of a manifest or an EventSource.</summary>
    /// <param name="items">Extended data: types and contents.</param>
    public void Manifest(
        Guid provider, int id, long ticks, int cpu, int pid, int tid, byte[] payload, Guid activity = default, params (int Type, byte[] Data)[] items)
    {
        var extended = items.SelectMany((item, i) => Item(item.Type, item.Data, more: i + 1 < items.Length)).ToArray();
        Add(cpu,
        [
            .. UInt16(80 + extended.Length + payload.Length), (byte)(how.PointerSize == 8 ? 19 : 18), 0xC0, .. UInt16(items.Length > 0 ? 1 : 0), .. UInt16(0),
            .. Int32(tid), .. Int32(pid), .. BitConverter.GetBytes(ticks), .. provider.ToByteArray(),
            .. UInt16(id), 0, 0, 4, 0, .. UInt16(0), .. new byte[8], .. new byte[8], .. activity.ToByteArray(), .. extended, .. payload,
        ]);
    }

    /// <summary>Adds bytes that are not an event.</summary>
    public void Raw(int cpu, byte[] bytes) => Add(cpu, bytes);

    /// <summary>Sets the flags of a processor's next buffer.</summary>
    public void Flag(int cpu, int flags) => _flags[cpu] = flags;

    /// <summary>Writes the buffer of a processor, full or not.</summary>
    public void Flush(int cpu)
    {
        if (_filling.Remove(cpu, out var events))
        {
            _written.Add(Buffer([.. events], cpu, _flags.GetValueOrDefault(cpu), type: 0, least: how.BufferBytes));
            _flags.Remove(cpu);
        }
    }

    /// <summary>Returns the file.</summary>
    /// <param name="rotate">Number of buffers that were written first and are at the end, as in a circular
    /// file.</param>
    public byte[] ToFile(int rotate = 0)
    {
        foreach (var cpu in _filling.Keys.ToList())
        {
            Flush(cpu);
        }

        return [.. HeaderBuffer(), .. _written.Skip(rotate).Concat(_written.Take(rotate)).SelectMany(buffer => buffer)];
    }

    private static byte[] Item(int type, byte[] data, bool more) =>
        [.. UInt16(8 + ((data.Length + 7) & ~7)), .. UInt16(type), .. UInt16(more ? 1 : 0), .. UInt16(data.Length), .. data, .. new byte[-data.Length & 7]];

    private void Add(int cpu, byte[] bytes)
    {
        if (_filling.TryGetValue(cpu, out var events) && BufferHeaderBytes + events.Count + bytes.Length + 8 > how.BufferBytes)
        {
            Flush(cpu);
            events = null;
        }

        if (events is null)
        {
            _filling.Add(cpu, events = []);
        }

        events.AddRange(bytes);
        events.AddRange(new byte[-bytes.Length & 7]);
    }

    private byte[] Buffer(byte[] events, int cpu, int flags, int type, int least)
    {
        var compressed = how.Compressed && type == 0;
        var stored = compressed ? XpressWriter.Compress(events) : events;
        var bytes = compressed ? BufferHeaderBytes + stored.Length : Math.Max(least, BufferHeaderBytes + stored.Length);
        return
        [
            .. Int32(bytes), .. new byte[12], .. new byte[8], .. new byte[16], .. UInt16(cpu), .. UInt16(1), .. Int32(3), .. Int32(BufferHeaderBytes + events.Length),
            .. UInt16(ProcessorIndex | flags | (compressed ? Compressed : 0)), .. UInt16(type), .. new byte[16], .. stored,
            .. Enumerable.Repeat((byte)0xFF, bytes - BufferHeaderBytes - stored.Length),
        ];
    }

    private byte[] HeaderBuffer()
    {
        byte[] zone = [.. Int32(-60), .. new byte[168]];
        byte[] pointers = new byte[2 * how.PointerSize];
        byte[] front =
        [
            .. Int32(how.BufferBytes), 10, 0, 1, 5, .. Int32(19045), .. Int32(how.Processors), .. BitConverter.GetBytes(how.EndTime),
            .. Int32(156_250), .. Int32(0), .. Int32(how.Mode), .. Int32(1 + _written.Count), .. Int32(1), .. Int32(how.PointerSize), .. Int32(how.EventsLost), .. Int32(how.CpuMHz),
            .. pointers, .. zone,
        ];
        byte[] payload =
        [
            .. front, .. new byte[-front.Length & 7], .. BitConverter.GetBytes(how.BootTime), .. BitConverter.GetBytes(how.PerfFreq),
            .. BitConverter.GetBytes(133_000_000_000_000_000), .. Int32(how.Clock), .. Int32(how.BuffersLost), .. Encoding.Unicode.GetBytes("Session\0C:\\trace.etl\0"),
        ];
        byte[] head = [.. UInt16(2), (byte)(how.PointerSize == 8 ? 2 : 1), 0xC0, .. UInt16(32 + payload.Length), .. UInt16(0), .. Int32(8), .. Int32(4), .. BitConverter.GetBytes(how.FirstTicks), .. new byte[8]];
        return Buffer([.. head, .. payload, .. new byte[-payload.Length & 7]], cpu: 0, flags: 0, type: 4, least: 1024);
    }

    private static byte[] UInt16(int value) => BitConverter.GetBytes((ushort)value);

    private static byte[] Int32(int value) => BitConverter.GetBytes(value);
}
