using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Fuzz.Corpus;

/// <summary>An event in a file of version 6.</summary>
/// <param name="Kind">Number of the event's description.</param>
/// <param name="Thread">Index of the event's thread.</param>
/// <param name="Capture">Index of the thread that numbers the event.</param>
/// <param name="Number">Number of the event among those of <paramref name="Capture"/>, from 1 on.</param>
/// <param name="Labels">Index of the event's list of labels; 0: none.</param>
internal sealed record EventV6(int Kind, ulong Thread, ulong Capture, uint Number, int Processor, int Stack, long Ticks, uint Labels, bool IsSorted, byte[] Payload);

/// <summary>Writes a .nettrace file of version 6, according to the published description of the format.</summary>
internal sealed class NettraceV6Writer
{
    private readonly List<byte> _file = [];

    public NettraceV6Writer(uint version = 6)
    {
        _file.AddRange("Nettrace"u8);
        _file.AddRange(Bytes(0U));
        _file.AddRange(Bytes(version));
        _file.AddRange(Bytes(0U));
    }

    public byte[] File => [.. _file];

    /// <summary>Adds a block: the size of the content in three bytes, its kind in one, and the content.</summary>
    public void Block(int kind, ReadOnlySpan<byte> content)
    {
        _file.AddRange(Bytes((uint)content.Length | ((uint)kind << 24)));
        _file.AddRange(content);
    }

    /// <param name="start">Wall clock, ticks, frequency and pointer size, as at the beginning of a header of version
    /// 4.</param>
    public void Header(ReadOnlySpan<byte> start, params (string Key, string Value)[] values) =>
        Block(1, [.. start[..36], .. Bytes((uint)values.Length), .. values.SelectMany(value => (byte[])[.. Text(value.Key), .. Text(value.Value)])]);

    /// <param name="rows">Results of <see cref="Description"/>.</param>
    public void Metadata(params byte[][] rows) => Block(3, [0, 0, .. rows.SelectMany(Counted)]);

    /// <param name="fields">Names and type codes.</param>
    /// <param name="keywords">Null: not recorded.</param>
    public static byte[] Description(int number, string provider, int id, string name, long? keywords, params (string Name, byte Type)[] fields)
    {
        byte[] optional = keywords is { } told ? [3, .. BitConverter.GetBytes(told)] : [];
        return
        [
            .. Variable((ulong)number), .. Text(provider), .. Variable((ulong)id), .. Text(name),
            .. Bytes((ushort)fields.Length), .. fields.SelectMany(field => Counted([.. Text(field.Name), field.Type])),
            .. Counted(optional),
        ];
    }

    public void Threads(IEnumerable<(ulong Index, int? Pid, long? Tid)> rows) => Block(6, [.. rows.SelectMany(row => Counted(
    [
        .. Variable(row.Index),
        .. row.Pid is { } pid ? (byte[])[2, .. Variable((ulong)pid)] : [],
        .. row.Tid is { } tid ? (byte[])[3, .. Variable((ulong)tid)] : [],
    ]))]);

    public void RemoveThreads(IEnumerable<(ulong Index, uint Number)> rows) => Block(7, [.. rows.SelectMany(row => (byte[])[.. Variable(row.Index), .. Variable(row.Number)])]);

    /// <summary>Adds lists of two labels each: the activity and the one in which it began. Empty ids are left
    /// out.</summary>
    public void Activities(uint first, IReadOnlyList<(Guid Activity, Guid Related)> lists) => Block(8,
    [
        .. Bytes(first), .. Bytes((uint)lists.Count),
        .. lists.SelectMany(list => (byte[])(list.Related == default
            ? [0x81, .. list.Activity.ToByteArray()]
            : [1, .. list.Activity.ToByteArray(), 0x82, .. list.Related.ToByteArray()])),
    ]);

    /// <param name="flags">1: threads are forgotten; 2: descriptions are forgotten.</param>
    public void SequencePoint(long ticks, uint flags, IReadOnlyList<(ulong Index, uint Number)> threads) => Block(4,
    [
        .. BitConverter.GetBytes(ticks), .. Bytes(flags), .. Bytes((uint)threads.Count),
        .. threads.SelectMany(thread => (byte[])[.. Variable(thread.Index), .. Variable(thread.Number)]),
    ]);

    /// <param name="compressed">Whether headers leave out the fields that did not change.</param>
    /// <param name="told">The times of the oldest and the newest event in the block's header; null: the true
    /// ones.</param>
    public void Events(IReadOnlyList<EventV6> events, bool compressed, (long Oldest, long Newest)? told = null) => Block(2,
    [
        .. Bytes((ushort)20), .. Bytes((ushort)(compressed ? 1 : 0)),
        .. BitConverter.GetBytes(told?.Oldest ?? events.Min(e => e.Ticks)), .. BitConverter.GetBytes(told?.Newest ?? events.Max(e => e.Ticks)),
        .. compressed ? Compressed(events) : events.SelectMany(Whole),
    ]);

    public void End() => Block(0, []);

    /// <summary>Writes an event with its whole header. The highest bit of a kind means that the event is not sorted, as
    /// runtimes write it and TraceEvent reads it. The published description says the opposite.</summary>
    private static byte[] Whole(EventV6 e) =>
    [
        .. Bytes((uint)(48 + e.Payload.Length)), .. Bytes((uint)e.Kind | (e.IsSorted ? 0 : 1U << 31)), .. Bytes(e.Number),
        .. BitConverter.GetBytes(e.Thread), .. BitConverter.GetBytes(e.Capture), .. Bytes((uint)e.Processor), .. Bytes((uint)e.Stack),
        .. BitConverter.GetBytes(e.Ticks), .. Bytes(e.Labels), .. Bytes((uint)e.Payload.Length), .. e.Payload,
    ];

    private static List<byte> Compressed(IReadOnlyList<EventV6> events)
    {
        var bytes = new List<byte>();
        var before = new EventV6(0, 0, 0, 0, 0, 0, 0, 0, false, []);
        foreach (var e in events)
        {
            var isNumbered = e.Capture != before.Capture || e.Number != before.Number + 1 || e.Processor != before.Processor;
            bytes.Add((byte)((e.Kind != before.Kind ? 1 : 0) | (isNumbered ? 2 : 0) | (e.Thread != before.Thread ? 4 : 0) | (e.Stack != before.Stack ? 8 : 0)
                | (e.Labels != before.Labels ? 16 : 0) | (e.IsSorted ? 64 : 0) | (e.Payload.Length != before.Payload.Length ? 128 : 0)));
            bytes.AddRange(e.Kind != before.Kind ? Variable((uint)e.Kind) : []);
            bytes.AddRange(isNumbered ? [.. Variable(unchecked(e.Number - 1 - before.Number)), .. Variable(e.Capture), .. Variable((uint)e.Processor)] : (byte[])[]);
            bytes.AddRange(e.Thread != before.Thread ? Variable(e.Thread) : []);
            bytes.AddRange(e.Stack != before.Stack ? Variable((uint)e.Stack) : []);
            bytes.AddRange(Variable((ulong)(e.Ticks - before.Ticks)));
            bytes.AddRange(e.Labels != before.Labels ? Variable(e.Labels) : []);
            bytes.AddRange(e.Payload.Length != before.Payload.Length ? Variable((ulong)e.Payload.Length) : []);
            bytes.AddRange(e.Payload);
            before = e;
        }

        return bytes;
    }

    private static byte[] Counted(byte[] content) => [.. Bytes((ushort)content.Length), .. content];

    private static byte[] Text(string text) => [.. Variable((ulong)Encoding.UTF8.GetByteCount(text)), .. Encoding.UTF8.GetBytes(text)];

    private static byte[] Bytes(uint value)
    {
        var bytes = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, value);
        return bytes;
    }

    private static byte[] Bytes(ushort value) => [(byte)value, (byte)(value >> 8)];

    /// <summary>Encodes a number in seven bits per byte, lowest first; the eighth bit says that more bytes
    /// follow.</summary>
    internal static byte[] Variable(ulong value)
    {
        var bytes = new List<byte>();
        for (; value >= 0x80; value >>= 7)
        {
            bytes.Add((byte)(value | 0x80));
        }

        return [.. bytes, (byte)value];
    }
}
