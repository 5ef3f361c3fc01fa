using System.Buffers.Binary;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Script;

/// <summary>Writes the events of a text as records of a perf.data file, so that every capture has the same kind of
/// kernel stream.</summary>
internal sealed class ScriptToPerfData : ISchedulerEvents, IDisposable
{
    private const int RoundBytes = 1 << 20;

    // common_flags: in a hardware interrupt. No other value says that no thread is the waker.
    private const byte InHardInterrupt = 0x08;

    private readonly PerfDataWriter _writer;
    private readonly IReadOnlyList<RecordedEvent> _events;
    private readonly RecordBuilder _records = new(ScriptEvents.Dummy);
    private int _cpu;
    private long _lost;
    private long _undated;

    /// <param name="clock">The clock of the times.</param>
    /// <exception cref="IOException">The file cannot be created.</exception>
    internal ScriptToPerfData(string path, int clock = SchedulerFile.ClockMonotonic)
    {
        _events = ScriptEvents.Of(clock);
        _writer = new PerfDataWriter(path, _events);
    }

    public void Dispose() => _writer.Dispose();

    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
        if (prevState < 0)
        {
            _cpu = cpu;
            _records.Arrived(time, cpu, nextTid, prevTid); // reported by the perf core, not by the tracepoint
            return;
        }

        Span<byte> raw = stackalloc byte[ScriptEvents.FirstField + (3 * sizeof(int))];
        Put(raw, prevTid, prevTid, prevState, nextTid);
        Add(ScriptEvents.Switch, time, cpu, -1, prevTid, raw);
    }

    public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
    {
        Span<byte> raw = stackalloc byte[ScriptEvents.FirstField + (2 * sizeof(int))];
        Put(raw, Math.Max(waker, 0), wakee, targetCpu);
        raw[2] = waker < 0 ? InHardInterrupt : (byte)0;
        var id = wakeup switch
        {
            WakeupEvent.Waking => ScriptEvents.Waking,
            WakeupEvent.Wakeup => ScriptEvents.Wakeup,
            _ => ScriptEvents.WakeupNew,
        };
        Add(id, time, cpu, -1, Math.Max(waker, 0), raw);
    }

    public void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack) => Add(ScriptEvents.CpuClock, time, cpu, pid, tid, default);

    public void ThreadName(long time, int pid, int tid, string name) => _records.Comm(pid, tid, name, time, _cpu);

    public void ThreadStart(long time, int pid, int tid, int parentTid) => _records.Started(time, _cpu, pid, tid, parentTid);

    public void ThreadExit(long time, int pid, int tid) => _records.Ended(time, _cpu, pid, tid);

    public void Lost(long after, long before, int cpu, long count)
    {
        _lost += count;
        if (before < 0)
        {
            _undated += count;
        }
        else
        {
            _records.Lost(cpu, before, count);
        }
    }

    /// <summary>Completes the file. Call after the last event.</summary>
    internal void Complete()
    {
        if (_undated > 0)
        {
            _records.LostSamples(_lost); // the number of all losses, as perf writes it
        }

        EndRound();
        _writer.Complete(new Dictionary<HeaderFeature, byte[]> { [HeaderFeature.TracingData] = ScriptEvents.TracingData(_events) });
    }

    private void Add(ulong id, long time, int cpu, int pid, int tid, ReadOnlySpan<byte> raw)
    {
        _cpu = cpu;
        _records.Sample(id, time, cpu, pid, tid, raw);
        if (_records.Records.Length >= RoundBytes)
        {
            EndRound();
        }
    }

    private void EndRound()
    {
        _writer.Append(_records.Records);
        _writer.FinishRound();
        _records.Clear();
    }

    private static void Put(Span<byte> raw, int thread, params ReadOnlySpan<int> fields)
    {
        raw.Clear();
        BinaryPrimitives.WriteInt32LittleEndian(raw[4..], thread); // common_pid
        for (var i = 0; i < fields.Length; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(raw[(ScriptEvents.FirstField + (i * sizeof(int)))..], fields[i]);
        }
    }
}
