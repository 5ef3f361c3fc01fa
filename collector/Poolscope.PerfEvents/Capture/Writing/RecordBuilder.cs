using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>Builds records that the kernel did not write, with the trailer (sample_id) of one of its events.</summary>
/// <param name="id">Id of the event that the records belong to.</param>
internal sealed class RecordBuilder(ulong id)
{
    private const int HeaderBytes = 8;

    // The trailer of TID | TIME | CPU | IDENTIFIER.
    private const int TrailerBytes = 32;

    private readonly ArrayBufferWriter<byte> _records = new(64 << 10);

    internal ReadOnlySpan<byte> Records => _records.WrittenSpan;

    /// <summary>Removes the records, to make room for others.</summary>
    internal void Clear() => _records.ResetWrittenCount();

    /// <param name="time">Time at which the thread took the name, ns; 0: before the recording.</param>
    /// <param name="cpu">The CPU on which it did.</param>
    internal void Comm(int pid, int tid, string name, long time = 0, int cpu = 0)
    {
        var text = Encoding.UTF8.GetBytes(name);
        var body = Begin(RecordType.Comm, 0, 8 + Padded(text.Length), pid, tid, time, cpu);
        Put(body, 0, pid);
        Put(body, 4, tid);
        text.CopyTo(body[8..]);
    }

    /// <summary>Adds a thread that is not the first of its process.</summary>
    internal void Fork(int pid, int tid)
    {
        var body = Begin(RecordType.Fork, 0, 24, pid, tid, 0, 0);
        Put(body, 0, pid);
        Put(body, 4, pid);
        Put(body, 8, tid);
        Put(body, 12, pid);
    }

    /// <summary>Adds the creation of a thread.</summary>
    internal void Started(long time, int cpu, int pid, int tid, int parent) => Life(RecordType.Fork, time, cpu, pid, tid, parent);

    /// <summary>Adds the moment at which a thread began to end.</summary>
    internal void Ended(long time, int cpu, int pid, int tid) => Life(RecordType.Exit, time, cpu, pid, tid, tid);

    /// <summary>Adds the arrival of a thread on a CPU.</summary>
    /// <param name="before">The thread that ran there until then.</param>
    internal void Arrived(long time, int cpu, int tid, int before)
    {
        var body = Begin(RecordType.SwitchCpuWide, 0, 8, -1, tid, time, cpu);
        Put(body, 0, -1);
        Put(body, 4, before);
    }

    internal void Mmap2(int pid, in ExecutableMapping mapping)
    {
        const int protReadExec = 5;
        const int mapPrivate = 2;
        var text = Encoding.UTF8.GetBytes(mapping.Name);
        var body = Begin(RecordType.Mmap2, RecordMisc.User, 64 + Padded(text.Length), pid, pid, 0, 0);
        Put(body, 0, pid);
        Put(body, 4, pid);
        Put(body, 8, mapping.Address);
        Put(body, 16, mapping.Length);
        Put(body, 24, mapping.FileOffset);
        Put(body, 32, mapping.Major);
        Put(body, 36, mapping.Minor);
        Put(body, 40, mapping.Inode);
        Put(body, 56, protReadExec);
        Put(body, 60, mapPrivate);
        text.CopyTo(body[64..]);
    }

    internal void KernelMmap(ulong start, ulong end)
    {
        var text = "[kernel.kallsyms]_text"u8;
        var body = Begin(RecordType.Mmap, RecordMisc.Kernel, 32 + Padded(text.Length), -1, 0, 0, 0);
        Put(body, 0, -1);
        Put(body, 8, start);
        Put(body, 16, end - start);
        Put(body, 24, start);
        text.CopyTo(body[32..]);
    }

    /// <summary>Adds a loss. The kernel reports a loss with the next record that fits, and none follows the losses at
    /// the very end.</summary>
    internal void Lost(int cpu, long time, long count)
    {
        var body = Begin(RecordType.Lost, 0, 16, 0, 0, time, cpu);
        Put(body, 0, id);
        Put(body, 8, (ulong)count);
    }

    /// <summary>Adds the number of lost samples that a recorder reports at its end, without a time.</summary>
    internal void LostSamples(long count) => Put(Begin(RecordType.LostSamples, 0, 8, 0, 0, 0, 0), 0, (ulong)count);

    /// <summary>Adds a sample of another event with the fields IDENTIFIER | TID | TIME | CPU.</summary>
    /// <param name="raw">The tracepoint's bytes; empty: none (RAW is not among the event's fields).</param>
    internal void Sample(ulong otherId, long time, int cpu, int pid, int tid, ReadOnlySpan<byte> raw)
    {
        // The length and the bytes together are a multiple of 8 bytes.
        var rawBytes = raw.IsEmpty ? 0 : ((raw.Length + sizeof(uint) + 7) & ~7) - sizeof(uint);
        var size = HeaderBytes + TrailerBytes + (raw.IsEmpty ? 0 : sizeof(uint) + rawBytes);
        var record = Frame(RecordType.Sample, 0, size);
        Put(record, 8, otherId);
        Put(record, 16, pid);
        Put(record, 20, tid);
        Put(record, 24, (ulong)time);
        Put(record, 32, cpu);
        if (!raw.IsEmpty)
        {
            Put(record, 40, rawBytes);
            raw.CopyTo(record[44..]);
        }
    }

    private void Life(RecordType type, long time, int cpu, int pid, int tid, int parent)
    {
        var body = Begin(type, 0, 24, pid, tid, time, cpu);
        Put(body, 0, pid);
        Put(body, 4, pid);
        Put(body, 8, tid);
        Put(body, 12, parent);
        Put(body, 16, (ulong)time);
    }

    private Span<byte> Begin(RecordType type, ushort misc, int bodyBytes, int pid, int tid, long time, int cpu)
    {
        var record = Frame(type, misc, HeaderBytes + bodyBytes + TrailerBytes);
        var trailer = record[^TrailerBytes..];
        Put(trailer, 0, pid);
        Put(trailer, 4, tid);
        Put(trailer, 8, (ulong)time);
        Put(trailer, 16, cpu);
        Put(trailer, 24, id);
        return record.Slice(HeaderBytes, bodyBytes);
    }

    private Span<byte> Frame(RecordType type, ushort misc, int size)
    {
        var record = _records.GetSpan(size)[..size];
        record.Clear();
        _records.Advance(size);
        BinaryPrimitives.WriteUInt32LittleEndian(record, (uint)type);
        BinaryPrimitives.WriteUInt16LittleEndian(record[4..], misc);
        BinaryPrimitives.WriteUInt16LittleEndian(record[6..], checked((ushort)size));
        return record;
    }

    // At least one NUL, and a multiple of 8 bytes.
    private static int Padded(int length) => (length + 8) & ~7;

    private static void Put(Span<byte> target, int at, int value) => BinaryPrimitives.WriteInt32LittleEndian(target[at..], value);

    private static void Put(Span<byte> target, int at, ulong value) => BinaryPrimitives.WriteUInt64LittleEndian(target[at..], value);
}

/// <summary>One executable line of /proc/PID/maps. Address, length and offset are in bytes.</summary>
internal readonly record struct ExecutableMapping(ulong Address, ulong Length, ulong FileOffset, int Major, int Minor, ulong Inode, string Name)
{
    /// <returns>False if the mapping is not executable, or the line does not have this form.</returns>
    internal static bool TryParse(string line, out ExecutableMapping mapping)
    {
        mapping = default;
        Span<Range> parts = stackalloc Range[6]; // range, permissions, offset, device, inode, name
        var text = line.AsSpan();
        var count = text.Split(parts, ' ', StringSplitOptions.RemoveEmptyEntries);
        if (count < 5 || text[parts[1]] is not [_, _, 'x', ..])
        {
            return false;
        }

        var range = text[parts[0]];
        var device = text[parts[3]];
        var dash = range.IndexOf('-');
        var colon = device.IndexOf(':');
        if (dash < 0 || colon < 0
            || !Hex(range[..dash], out var start) || !Hex(range[(dash + 1)..], out var end)
            || !Hex(text[parts[2]], out var offset)
            || !Hex(device[..colon], out var major) || !Hex(device[(colon + 1)..], out var minor)
            || !ulong.TryParse(text[parts[4]], out var inode))
        {
            return false;
        }

        // perf's name for executable memory without a file.
        var name = count == 6 ? text[parts[5]].Trim().ToString() : "//anon";
        mapping = new ExecutableMapping(start, end - start, offset, (int)major, (int)minor, inode, name);
        return true;
    }

    private static bool Hex(ReadOnlySpan<char> text, out ulong value) =>
        ulong.TryParse(text, System.Globalization.NumberStyles.AllowHexSpecifier, null, out value);
}
