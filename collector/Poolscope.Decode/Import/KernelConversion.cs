using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Script;

namespace Poolscope.Decode.Import;

/// <summary>Writes the kernel's events of a .nettrace file of one-collect to a perf.data file, so that all captures
/// have the same kind of kernel stream.</summary>
internal sealed class KernelConversion
{
    // A bit of common_flags: in a hardware interrupt, which only borrowed the thread that it stopped.
    private const byte InHardInterrupt = 0x08;

    private readonly ISchedulerEvents _sink;
    private readonly EventKinds _kinds = new();
    private readonly HashSet<(int Pid, int Tid)> _named = [];

    private KernelConversion(ISchedulerEvents sink) => _sink = sink;

    /// <param name="trace">A file whose <see cref="KernelEvents.Missing"/> is null.</param>
    /// <param name="target">The file to create.</param>
    /// <exception cref="IOException">The target cannot be written.</exception>
    public static void Write(string trace, string target, CancellationToken cancellation) => SchedulerFile.Write(target, SchedulerFile.ClockMonotonicRaw, sink =>
    {
        // The first pass names all threads, as of the start of the recording; the second writes the events.
        var bounds = StreamBounds.None with { AnyProvider = true };
        var names = new KernelConversion(sink);
        NettraceFile.Read(trace, bounds, names._kinds, names.AddThreads, cancellation);
        var events = new KernelConversion(sink);
        NettraceFile.Read(trace, bounds, events._kinds, events.AddEvents, cancellation);
    });

    private void AddThreads(NettraceBlock block)
    {
        if (block.Kind != BlockKind.Events)
        {
            return;
        }

        for (var cursor = block.Cursor; cursor.Next();)
        {
            var kind = _kinds.Find(cursor.MetadataId)!;
            var (pid, tid) = block.Threads!.Of(block.Threads.Find((ulong)cursor.ThreadId).Thread);
            if (kind.Provider == KernelEvents.Provider && KernelEvent.Of(kind, cursor.Payload) == KernelEventKind.Switch
                && KernelEvent.PreviousThread(cursor.Payload) == tid && tid > 0 && _named.Add((pid, tid)))
            {
                _sink.ThreadName(0, pid, tid, KernelEvent.Name(cursor.Payload));
            }
        }
    }

    private void AddEvents(NettraceBlock block)
    {
        if (block.Kind != BlockKind.Events)
        {
            return;
        }

        for (var cursor = block.Cursor; cursor.Next();)
        {
            var kind = _kinds.Find(cursor.MetadataId)!;
            var (pid, tid) = block.Threads!.Of(block.Threads.Find((ulong)cursor.ThreadId).Thread);
            Add(kind, block.Clock.Nanoseconds(cursor.Ticks), cursor.Processor, pid, tid, cursor.Payload);
        }
    }

    private void Add(EventKind kind, long time, int cpu, int pid, int tid, ReadOnlySpan<byte> payload)
    {
        if (kind.Provider == KernelEvents.SamplesProvider && kind.Name == KernelEvents.Samples)
        {
            _sink.Sample(time, cpu, pid, tid, default);
            return;
        }

        if (kind.Provider != KernelEvents.Provider)
        {
            return;
        }

        switch (KernelEvent.Of(kind, payload))
        {
            case KernelEventKind.Switch:
                _sink.Switch(time, cpu, KernelEvent.PreviousThread(payload), KernelEvent.State(payload), KernelEvent.NextThread(payload));
                break;
            case KernelEventKind.Waking:
                Wakeup(WakeupEvent.Waking, time, cpu, payload);
                break;
            case KernelEventKind.Wakeup:
                Wakeup(WakeupEvent.Wakeup, time, cpu, payload);
                break;
            case KernelEventKind.WakeupNew:
                Wakeup(WakeupEvent.WakeupNew, time, cpu, payload);
                break;
            case KernelEventKind.Exit:
                _sink.ThreadExit(time, pid, KernelEvent.Subject(payload));
                break;
        }
    }

    private void Wakeup(WakeupEvent wakeup, long time, int cpu, ReadOnlySpan<byte> payload) => _sink.Wakeup(
        time, cpu, wakeup, (KernelEvent.Flags(payload) & InHardInterrupt) != 0 ? -1 : KernelEvent.Writer(payload), KernelEvent.Subject(payload), KernelEvent.Cpu(payload));
}
