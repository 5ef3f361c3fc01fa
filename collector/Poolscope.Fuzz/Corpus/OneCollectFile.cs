using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Fuzz.Corpus;

/// <summary>The contents of a <see cref="OneCollectFile"/>.</summary>
internal sealed record OneCollectContents
{
    /// <summary>Whether process 200 has work items too. Process 100 always does.</summary>
    public bool BothUsePools { get; init; }

    /// <summary>Whether no process uses .NET.</summary>
    public bool WithoutRuntime { get; init; }

    /// <summary>Whether sched_switch, sched_waking and sched_process_exit were recorded.</summary>
    public bool Switches { get; init; }

    /// <summary>Whether only the switches of process 100 were recorded.</summary>
    public bool OneProcess { get; init; }

    /// <summary>Whether sched_switch is that of another kernel, which has one more field before its first
    /// name.</summary>
    public bool OtherLayout { get; init; }

    /// <summary>Whether times off a CPU were recorded.</summary>
    public bool OffCpu { get; init; }

    /// <summary>Number of lost events, according to the last sequence point.</summary>
    public uint Lost { get; init; }

    /// <summary>Number of items that a process queues and takes.</summary>
    public int Items { get; init; } = 20;
}

/// <summary>A file of several processes as one-collect writes it (`dotnet-trace collect-linux`). One thread captures
/// all events, blocks have the times of flushes, and threads get new indices after each flush.</summary>
internal sealed class OneCollectFile
{
    public const int Process = 100;
    public const int OtherProcess = 200;
    public const long StartNs = 5_000_000_000;

    /// <summary>Code address of the only listed method, which is on the stack of each contention.</summary>
    public const ulong Code = 0x7f00_0000_1000;

    private const int Enqueue = 1;
    private const int Dequeue = 2;
    private const int Worker = 3;
    private const int Contention = 4;
    private const int ExistingProcess = 5;
    private const int Symbol = 6;
    private const int SchedSwitch = 7;
    private const int SchedWaking = 8;
    private const int SchedExit = 9;
    private const int Cpu = 10;
    private const int OffCpuTime = 11;
    private const long StepNs = 1_000_000;

    private readonly NettraceV6Writer _writer = new();
    private readonly OneCollectContents _contents;
    private readonly Dictionary<(int Pid, int Tid), ulong> _threads = [];
    private readonly List<EventV6> _events = [];
    private long _flushed = StartNs;
    private long _now = StartNs;
    private uint _number;

    private OneCollectFile(OneCollectContents contents) => _contents = contents;

    public static byte[] Of(OneCollectContents contents) => new OneCollectFile(contents).Write();

    private byte[] Write()
    {
        var header = new byte[36];
        ushort[] clock = [2026, 3, 2, 3, 4, 5, 6, 7];
        Buffer.BlockCopy(clock, 0, header, 0, 16);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(16), StartNs);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(24), 1_000_000_000);
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(32), 8);
        _writer.Header(header, ("HardwareThreadCount", "2"), ("ExpectedCPUSamplingRate", "1000000"), ("SystemPageSize", "4096"));
        Describe();
        AddProcess(Process, "app");
        AddProcess(OtherProcess, "other");
        Add(Symbol, Process, 0, [.. NettraceV6Writer.Variable(1), .. NettraceV6Writer.Variable(2), .. NettraceV6Writer.Variable(Code), .. NettraceV6Writer.Variable(Code + 0x7f), .. Short("instance void [Shop] Shop.Cart+<>c::Total(int32,class [System.Runtime]System.String)[Tier0]")]);
        for (var item = 0; item < _contents.Items; item++)
        {
            AddItem(Process, item);
            if (_contents.BothUsePools)
            {
                AddItem(OtherProcess, item);
            }

            if (item % 8 == 7)
            {
                Flush(_now);
            }
        }

        AddExit();
        var last = Flush(-1);
        _writer.SequencePoint(_now, 1, _contents.Lost > 0 ? [(0, last + _contents.Lost)] : []);
        _writer.End();
        return _writer.File;
    }

    private void Describe()
    {
        const string framework = "System.Diagnostics.Eventing.FrameworkEventSource";
        const string runtime = "Microsoft-Windows-DotNETRuntime";
        (string, byte)[] value = [("Value", 21)];
        _writer.Metadata(
            NettraceV6Writer.Description(Enqueue, framework, 30, "ThreadPoolEnqueueWork", null, ("workID", 11)),
            NettraceV6Writer.Description(Dequeue, framework, 31, "ThreadPoolDequeueWork", null, ("workID", 11)),
            NettraceV6Writer.Description(Worker, runtime, 50, "Unknown(50)", null),
            NettraceV6Writer.Description(Contention, runtime, 81, "Unknown(81)", null),
            NettraceV6Writer.Description(ExistingProcess, "Universal.System", 0, "ExistingProcess", null, ("NamespaceId", 21), ("Name", 23), ("NamespaceName", 23)),
            NettraceV6Writer.Description(Symbol, "Universal.System", 4, "ProcessSymbol", null, ("Id", 21), ("MappingId", 21), ("StartAddress", 21), ("EndAddress", 21), ("Name", 23)),
            _contents.OtherLayout
                ? NettraceV6Writer.Description(SchedSwitch, "sched", 372, "sched_switch", null, ("common_type", 8), ("common_flags", 6), ("common_preempt_count", 6), ("common_pid", 9), ("common_preempt_lazy_count", 6), ("prev_comm", 6))
                : Tracepoints.SwitchDescription(SchedSwitch),
            Tracepoints.OtherDescription(SchedWaking, "sched_waking"),
            Tracepoints.OtherDescription(SchedExit, "sched_process_exit"),
            NettraceV6Writer.Description(Cpu, "Universal.Events", 6, "cpu", null, value),
            NettraceV6Writer.Description(OffCpuTime, "Universal.Events", 7, "cswitch", null, value));
    }

    private void AddProcess(int pid, string name) => Add(ExistingProcess, pid, 0, [.. NettraceV6Writer.Variable((ulong)pid), .. Short(name), .. Short("Unknown")]);

    /// <summary>Adds an item: thread PID + 1 queues it; thread PID + 2 comes to a CPU, takes it and leaves.</summary>
    private void AddItem(int pid, int item)
    {
        var (giver, worker, id) = (pid + 1, pid + 2, BitConverter.GetBytes(1000L + item));
        AddSwitch(0, 0, 0, 0, giver);
        AddRuntime(Enqueue, pid, giver, id);
        if (_contents.Switches)
        {
            Add(SchedWaking, pid, giver, Tracepoints.Wakeup(item % 3 == 0 ? -1 : giver, worker, 1));
        }

        AddSwitch(1, 0, 0, 0, worker);
        AddRuntime(Dequeue, pid, worker, id);
        if (item == 0)
        {
            AddRuntime(Worker, pid, worker, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        }

        AddRuntime(Contention, pid, worker, [0, 0, 0], stack: 1);
        Add(Cpu, pid, worker, [1]);
        AddSwitch(1, pid, worker, 1, 0);
        AddSwitch(0, pid, giver, 1, 0);
        if (_contents.OffCpu)
        {
            Add(OffCpuTime, pid, worker, NettraceV6Writer.Variable(300_000));
        }
    }

    private void AddExit()
    {
        if (_contents.Switches)
        {
            Add(SchedExit, OtherProcess, OtherProcess + 1, Tracepoints.Exit(OtherProcess + 1));
        }
    }

    private void AddRuntime(int kind, int pid, int tid, byte[] payload, int stack = 0)
    {
        if (!_contents.WithoutRuntime)
        {
            Add(kind, pid, tid, payload, stack);
        }
    }

    private void AddSwitch(int cpu, int pid, int previous, long state, int next)
    {
        if ((_contents.Switches || _contents.OtherLayout) && (!_contents.OneProcess || pid == Process))
        {
            Add(SchedSwitch, pid, previous, Tracepoints.Switch(previous, state, next), cpu: cpu);
        }
    }

    private void Add(int kind, int pid, int tid, byte[] payload, int stack = 0, int cpu = 1)
    {
        _now += StepNs;
        if (!_threads.TryGetValue((pid, tid), out var index))
        {
            _threads.Add((pid, tid), index = (ulong)_threads.Count + 1);
        }

        _events.Add(new EventV6(kind, index, 0, ++_number, cpu, stack, _now, 0, true, payload));
    }

    /// <returns>The number of events in the block.</returns>
    private uint Flush(long end)
    {
        _writer.SequencePoint(_flushed, 1, []);
        _writer.Block(5, [1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, .. BitConverter.GetBytes(Code + 4)]);
        _writer.Threads(_threads.Select(thread => (thread.Value, (int?)thread.Key.Pid, (long?)thread.Key.Tid)).Prepend((0UL, 0, 0)));
        _writer.Events(_events, compressed: true, (_flushed, end));
        var count = _number;
        (_flushed, _number) = (_now, 0);
        _events.Clear();
        _threads.Clear();
        return count;
    }

    private static byte[] Short(string text) => [(byte)text.Length, 0, .. Encoding.UTF8.GetBytes(text)];
}
