using Poolscope.KernelEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Scheduler;

/// <summary>Rows of table switches. The classes in this file look each column up once, because a capture has millions
/// of rows.</summary>
internal sealed class SwitchRows
{
    private readonly Column<long> _time;
    private readonly Column<short> _cpu;
    private readonly Column<int> _prevTid;
    private readonly Column<int> _prevState;
    private readonly Column<int> _nextTid;
    private (long, int, int, int, int) _last;

    internal SwitchRows()
    {
        Table = Table.Create("switches", packs: true);
        _time = Table.Int64("time");
        _cpu = Table.Int16("cpu");
        _prevTid = Table.Int32("prev_tid");
        _prevState = Table.Int32("prev_state");
        _nextTid = Table.Int32("next_tid");
    }

    internal Table Table { get; }

    /// <summary>Adds a row unless it repeats the previous one. A CPU cannot make the same switch twice at one moment,
    /// but `perf record -a` occasionally writes a switch twice (seen on a machine short of cores, Linux
    /// 6.18).</summary>
    internal void Add(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
        var row = (time, cpu, prevTid, prevState, nextTid);
        if (row == _last)
        {
            return;
        }

        _last = row;
        _time.Add(time);
        _cpu.Add((short)cpu);
        _prevTid.Add(prevTid);
        _prevState.Add(prevState);
        _nextTid.Add(nextTid);
    }
}

/// <summary>Rows of table wakeups.</summary>
internal sealed class WakeupRows
{
    private readonly Column<long> _time;
    private readonly Column<short> _cpu;
    private readonly Column<byte> _event;
    private readonly Column<int> _wakerTid;
    private readonly Column<int> _wakeeTid;
    private readonly Column<short> _targetCpu;
    private (long, int, WakeupEvent, int, int, int) _last;

    internal WakeupRows()
    {
        Table = Table.Create("wakeups", packs: true);
        _time = Table.Int64("time");
        _cpu = Table.Int16("cpu");
        _event = Table.Enum("event");
        _wakerTid = Table.Int32("waker_tid");
        _wakeeTid = Table.Int32("wakee_tid");
        _targetCpu = Table.Int16("target_cpu");
    }

    internal Table Table { get; }

    /// <summary>Adds a row unless it repeats the previous one. The kernel occasionally delivers a wake-up twice, to the
    /// events of the CPU and to those of the woken thread (seen with `perf record -a -- COMMAND`, Linux
    /// 6.18).</summary>
    internal void Add(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
    {
        var row = (time, cpu, wakeup, waker, wakee, targetCpu);
        if (row == _last)
        {
            return;
        }

        _last = row;
        _time.Add(time);
        _cpu.Add((short)cpu);
        _event.Add((byte)wakeup); // the schema lists the values in the order of the type
        _wakerTid.Add(waker);
        _wakeeTid.Add(wakee);
        _targetCpu.Add((short)targetCpu);
    }
}

/// <summary>Rows of table cpu_samples.</summary>
internal sealed class SampleRows
{
    private readonly Column<long> _time;
    private readonly Column<short> _cpu;
    private readonly Column<int> _pid;
    private readonly Column<int> _tid;
    private readonly Column<int> _stack;

    internal SampleRows()
    {
        Table = Table.Create("cpu_samples", packs: true);
        _time = Table.Int64("time");
        _cpu = Table.Int16("cpu");
        _pid = Table.Int32("pid");
        _tid = Table.Int32("tid");
        _stack = Table.Int32("stack");
    }

    internal Table Table { get; }

    internal Column<int> Stack => _stack;

    internal void Add(long time, int cpu, int pid, int tid)
    {
        _stack.Add(-1);
        _time.Add(time);
        _cpu.Add((short)cpu);
        _pid.Add(pid);
        _tid.Add(tid);
    }
}

/// <summary>The kernel tier of the states, as thread_states.origin numbers it.</summary>
internal enum StateOrigin : byte
{
    Tracepoint,
    Switch,
    Schedstat,
    Etw,
}
