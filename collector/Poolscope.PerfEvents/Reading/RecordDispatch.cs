using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using System.Text;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Decodes records, in order of time, into calls of the sink. All calls must come from one thread.</summary>
/// <param name="lastBeforeGap">By the offset of a LOST or LOST_SAMPLES record: time of the record before it in the same
/// ring; -1: none.</param>
internal sealed class RecordDispatch(PerfDataFile file, ISchedulerEvents sink, ConcurrentDictionary<long, long> lastBeforeGap)
{
    private const int HeaderBytes = 8;

    // MMAP2: pid, tid, address, length, file offset, device, inode and its generation (or a build id), protection, flags.
    private const int MappingNameOffset = 64;

    // Markers in a call chain (enum perf_callchain_context): values from here on say whose addresses follow.
    private const ulong ContextMarkers = unchecked((ulong)-4095L);
    private const ulong UserContext = unchecked((ulong)-512L);

    private readonly Dictionary<int, long> _throttledSince = []; // by CPU
    private readonly List<int> _current = [];
    private readonly Dictionary<int, Dictionary<int, ulong>> _sampler = [];

    internal long Events { get; private set; }

    internal long Lost { get; private set; }

    internal long FirstNs { get; private set; } = -1;

    internal long LastNs { get; private set; } = -1;

    /// <summary>Reports the losses without a time, and the pauses in sampling that did not end. Call after the last
    /// record.</summary>
    /// <param name="undatedLosses">Events that the recorder reported as lost at its end, without a time.</param>
    internal void Finish(long undatedLosses)
    {
        // This count includes losses that were reported when they happened. A loss is reported before the next record
        // that fits; the other losses had no such record.
        if (undatedLosses > Lost)
        {
            sink.Lost(LastNs, -1, -1, undatedLosses - Lost);
            Lost = undatedLosses;
        }

        foreach (var (cpu, since) in _throttledSince)
        {
            sink.SamplesThrottled(since, -1, cpu);
        }
    }

    internal void Consume(in FoundRecord record)
    {
        switch (record.Kind)
        {
            case EventKind.Other:
                Consume(record.Time, record.Offset);
                return;
            case EventKind.Arrival:
                Arrived(record.Time, record.Cpu, record.Thread, record.Other);
                return;
            case EventKind.Switch:
                Count(record.Time);
                Current(record.Cpu) = record.Other;
                sink.Switch(record.Time, record.Cpu, record.Thread, record.Detail, record.Other);
                return;
            default:
                Count(record.Time);
                var wakeup = record.Kind switch
                {
                    EventKind.Waking => WakeupEvent.Waking,
                    EventKind.Wakeup => WakeupEvent.Wakeup,
                    _ => WakeupEvent.WakeupNew,
                };
                sink.Wakeup(record.Time, record.Cpu, wakeup, record.Other, record.Thread, record.Detail);
                return;
        }
    }

    private void Consume(long time, long offset)
    {
        // The finder has checked its frame, which is inside the file.
        var record = file.At(offset, BinaryPrimitives.ReadUInt16LittleEndian(file.At(offset + 6, 2)));
        var type = (RecordType)BinaryPrimitives.ReadUInt32LittleEndian(record);
        if (type == RecordType.Sample)
        {
            Sample(time, offset, record, file.Events.OfSample(record)!);
            return;
        }

        var layout = file.Events.OfOther(record)!;
        var body = record[HeaderBytes..^layout.TrailerBytes];
        switch (type)
        {
            case RecordType.Comm when body.Length > 8:
                sink.ThreadName(time, Int32(body, 0), Int32(body, 4), Text(body[8..]));
                break;
            case RecordType.Mmap2 when body.Length > MappingNameOffset:
                sink.Mapping(time, Int32(body, 0), UInt64(body, 8), UInt64(body, 16), UInt64(body, 24), Text(body[MappingNameOffset..]));
                break;
            case RecordType.Fork when body.Length >= 16 && time > 0: // at 0: a thread that existed; its name follows
                _sampler.Remove(Int32(body, 8));
                sink.ThreadStart(time, Int32(body, 0), Int32(body, 8), Int32(body, 12));
                break;
            case RecordType.Exit when body.Length >= 16:
                _sampler.Remove(Int32(body, 8));
                sink.ThreadExit(time, Int32(body, 0), Int32(body, 8));
                break;
            case RecordType.Lost when body.Length >= 16:
                Gap(time, offset, Int32(record, record.Length - layout.CpuFromEnd), BinaryPrimitives.ReadInt64LittleEndian(body[8..]));
                break;
            case RecordType.Switch:
                OwnSwitch(time, record, layout);
                break;
            case RecordType.LostSamples when body.Length >= 8:
                Gap(time, offset, Int32(record, record.Length - layout.CpuFromEnd), BinaryPrimitives.ReadInt64LittleEndian(body));
                break;
            case RecordType.Throttle:
                _throttledSince.TryAdd(Int32(record, record.Length - layout.CpuFromEnd), time);
                break;
            case RecordType.Unthrottle when _throttledSince.Remove(Int32(record, record.Length - layout.CpuFromEnd), out var since):
                sink.SamplesThrottled(since, time, Int32(record, record.Length - layout.CpuFromEnd));
                break;
        }
    }

    private void OwnSwitch(long time, ReadOnlySpan<byte> record, EventLayout layout)
    {
        Count(time);
        var cpu = Int32(record, record.Length - layout.CpuFromEnd);
        var pid = Int32(record, record.Length - layout.TrailerBytes);
        var tid = Int32(record, record.Length - layout.TrailerBytes + sizeof(int));
        var misc = BinaryPrimitives.ReadUInt16LittleEndian(record[4..]);
        if (tid <= 0)
        {
            return;
        }

        if ((misc & RecordMisc.SwitchOut) != 0)
        {
            sink.ThreadOut(time, cpu, pid, tid, (misc & RecordMisc.SwitchOutPreempt) != 0);
        }
        else
        {
            sink.ThreadIn(time, cpu, pid, tid);
        }
    }

    private void Count(long time)
    {
        Events++;
        FirstNs = FirstNs < 0 ? time : Math.Min(FirstNs, time);
        LastNs = Math.Max(LastNs, time);
    }

    /// <summary>Reports a thread that came without a tracepoint: the thread before it is silent (see
    /// IdleProbe).</summary>
    private void Arrived(long time, int cpu, int thread, int other)
    {
        if (thread > 0 && Current(cpu) != thread)
        {
            // The kernel no longer has an id for a thread that has ended (-1): it is the one that this CPU ran.
            var left = other >= 0 ? other : Math.Max(Current(cpu), 0);
            Current(cpu) = thread;
            sink.Switch(time, cpu, left, -1, thread);
        }
    }

    /// <summary>Returns the thread that a CPU runs, according to the records so far.</summary>
    private ref int Current(int cpu)
    {
        while (_current.Count <= cpu)
        {
            _current.Add(-1);
        }

        return ref CollectionsMarshal.AsSpan(_current)[cpu];
    }

    private void Gap(long before, long offset, int cpu, long count)
    {
        if (count <= 0)
        {
            throw PerfDataReader.Damaged("an impossible number of lost events", offset);
        }

        Lost += count;
        sink.Lost(lastBeforeGap.TryRemove(offset, out var after) ? after : -1, before, cpu, count);
    }

    private void Sample(long time, long offset, ReadOnlySpan<byte> record, EventLayout layout)
    {
        if (layout.Kind == EventKind.Other)
        {
            return;
        }

        Count(time);
        var cpu = Int32(record, layout.Cpu);
        var rest = record[layout.Body..];
        var chain = layout.HasCallChain ? TakeChain(ref rest, offset) : default;
        if (layout.Kind == EventKind.CpuClock)
        {
            var tid = Int32(record, layout.Tid + 4);
            if (!layout.IsInherited || IsSampler(tid, cpu, layout.Id < 0 ? 0 : BinaryPrimitives.ReadUInt64LittleEndian(record[layout.Id..])))
            {
                sink.Sample(time, cpu, Int32(record, layout.Tid), tid, UserPart(chain));
            }

            return;
        }

        var raw = TakeRaw(rest, offset, layout.RawBytes);
        if (layout.Socket is { } socket)
        {
            Socket(time, layout, socket, record, raw);
            return;
        }

        var subject = (int)layout.Subject.Read(raw);
        switch (layout.Kind)
        {
            case EventKind.Switch:
                Current(cpu) = (int)layout.NextPid.Read(raw);
                sink.Switch(time, cpu, subject, (int)layout.PrevState.Read(raw), (int)layout.NextPid.Read(raw));
                break;
            case EventKind.Waking:
                sink.Wakeup(time, cpu, WakeupEvent.Waking, layout.Waker(raw), subject, (int)layout.TargetCpu.Read(raw));
                break;
            case EventKind.Wakeup:
                sink.Wakeup(time, cpu, WakeupEvent.Wakeup, -1, subject, (int)layout.TargetCpu.Read(raw));
                break;
            case EventKind.WakeupNew:
                sink.Wakeup(time, cpu, WakeupEvent.WakeupNew, layout.Waker(raw), subject, (int)layout.TargetCpu.Read(raw));
                break;
            case EventKind.ProcessExit:
                sink.ThreadExit(time, Int32(record, layout.Tid), subject);
                break;
        }
    }

    private void Socket(long time, EventLayout layout, SocketLayout socket, ReadOnlySpan<byte> record, ReadOnlySpan<byte> raw)
    {
        var (pid, tid) = (Int32(record, layout.Tid), Int32(record, layout.Tid + 4));
        switch (layout.Kind)
        {
            case EventKind.SocketArrival when socket.Endpoints(raw) is { } ends:
                sink.SocketArrival(time, socket.Socket(raw), socket.Length(raw), ends);
                break;
            case EventKind.SocketSend:
                sink.SocketSend(time, pid, tid, socket.Socket(raw), socket.Length(raw));
                break;
            case EventKind.SocketRead when !socket.OnlyLooked(raw):
                sink.SocketRead(time, pid, tid, socket.Socket(raw), socket.Length(raw));
                break;
            case EventKind.SocketState when socket.Endpoints(raw) is { } ends:
                var (before, after) = socket.States(raw);
                sink.SocketState(time, pid, tid, socket.Socket(raw), before, after, ends);
                break;
        }
    }

    /// <summary>Returns whether an event is the first one that sampled the thread on this CPU. A thread born while the
    /// recorder opened the events may have an event of its own beside the inherited one, and each samples it.</summary>
    private bool IsSampler(int tid, int cpu, ulong id)
    {
        if (!_sampler.TryGetValue(tid, out var byCpu))
        {
            _sampler.Add(tid, byCpu = []);
        }

        return byCpu.TryAdd(cpu, id) || byCpu[cpu] == id;
    }

    private static ReadOnlySpan<ulong> TakeChain(ref ReadOnlySpan<byte> rest, long offset)
    {
        if (rest.Length < sizeof(ulong))
        {
            throw PerfDataReader.Damaged("a sample without its call chain", offset);
        }

        var count = BinaryPrimitives.ReadUInt64LittleEndian(rest);
        rest = rest[sizeof(ulong)..];
        if (count > (ulong)rest.Length / sizeof(ulong))
        {
            throw PerfDataReader.Damaged("a call chain longer than its record", offset);
        }

        var bytes = (int)count * sizeof(ulong);
        var chain = MemoryMarshal.Cast<byte, ulong>(rest[..bytes]);
        rest = rest[bytes..];
        return chain;
    }

    private static ReadOnlySpan<byte> TakeRaw(ReadOnlySpan<byte> rest, long offset, int needed)
    {
        var size = rest.Length >= sizeof(uint) ? BinaryPrimitives.ReadUInt32LittleEndian(rest) : 0;
        if (size < needed || size > rest.Length - sizeof(uint))
        {
            throw PerfDataReader.Damaged("a tracepoint shorter than its format", offset);
        }

        return rest.Slice(sizeof(uint), (int)size);
    }

    private static ReadOnlySpan<ulong> UserPart(ReadOnlySpan<ulong> chain)
    {
        var start = chain.IndexOf(UserContext) + 1;
        if (start == 0)
        {
            return default;
        }

        var user = chain[start..];
        for (var i = 0; i < user.Length; i++)
        {
            if (user[i] >= ContextMarkers)
            {
                return user[..i];
            }
        }

        return user;
    }

    private static string Text(ReadOnlySpan<byte> padded)
    {
        var length = padded.IndexOf((byte)0);
        return Encoding.UTF8.GetString(length < 0 ? padded : padded[..length]);
    }

    private static ulong UInt64(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadUInt64LittleEndian(bytes[at..]);

    private static int Int32(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadInt32LittleEndian(bytes[at..]);
}
