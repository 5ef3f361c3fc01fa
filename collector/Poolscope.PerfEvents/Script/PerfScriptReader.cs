using System.Runtime.InteropServices;
using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Script;

/// <summary>Converts the text of `perf script` to calls of a sink, in order of time. Memory grows with the number of
/// threads that the text names, not with its length.</summary>
internal sealed partial class PerfScriptReader
{
    // perf sorts its output, except for events that come too late for that.
    private const long LatestNs = 1_000_000_000;

    // The tables' CPU columns are int16.
    private const int MostCpus = short.MaxValue;

    private const int LinesBetweenCancellationChecks = 1 << 12;

    private readonly ISchedulerEvents _sink;
    private readonly ScriptThreads _threads;
    private readonly List<Cpu> _cpus = [];
    private long _lastPrinted = -1;
    private long _last = -1;
    private long _first = -1;
    private long _lastEvent = -1;
    private int _precision = 1;
    private bool _namesProcesses;
    private long _events;
    private long _switches;
    private long _others;
    private long _lost;
    private long _undated;
    private long _unreadable;
    private byte[]? _firstUnreadable;

    private PerfScriptReader(ISchedulerEvents sink, int target, IReadOnlySet<int> itsThreads) =>
        (_sink, _threads) = (sink, new ScriptThreads(sink, target, itsThreads));

    /// <summary>The information in the comments before the first event.</summary>
    private ScriptHeader Header { get; } = new();

    /// <summary>Reads a text to its end, or to the first invalid line.</summary>
    /// <param name="target">See <see cref="ScriptThreads"/>; -1: none.</param>
    /// <exception cref="IOException">The text cannot be read.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between lines.</exception>
    internal static (ScriptSummary Summary, ScriptHeader Header) Read(
        Stream text, ISchedulerEvents sink, int target, IReadOnlySet<int> itsThreads, CancellationToken cancellation)
    {
        var reader = new PerfScriptReader(sink, target, itsThreads);
        return (reader.Read(text, cancellation), reader.Header);
    }

    private ScriptSummary Read(Stream text, CancellationToken cancellation)
    {
        using var lines = new ScriptLines(text);
        var damage = default(string);
        while (damage is null && lines.Next(out var line))
        {
            if (lines.Count % LinesBetweenCancellationChecks == 0)
            {
                cancellation.ThrowIfCancellationRequested();
            }

            damage = Take(line, lines.Count);
        }

        // An incomplete line may read as another line: an id without one of its digits is still an id.
        _undated += (lines.IsCut ? 1 : 0) + lines.TooLong;
        if (_undated > 0)
        {
            _lost += _undated;
            _sink.Lost(_last, -1, -1, _undated);
        }

        var read = new PerfDataSummary(_events, _lost, _first, _lastEvent, lines.IsCut || damage is not null, text.Length) { Damage = damage };
        return new ScriptSummary(read, _precision, _namesProcesses, _switches, _others, _unreadable, _firstUnreadable);
    }

    /// <returns>The fault in the line; null: none.</returns>
    private string? Take(ReadOnlySpan<byte> text, long number)
    {
        // Call chains follow their event, one frame per line.
        if (text.IsEmpty || text[0] == '\t')
        {
            return null;
        }

        if (text[0] == '#')
        {
            if (_last < 0)
            {
                Header.Add(text);
            }

            return null;
        }

        if (!ScriptLine.TryRead(text, out var line) || line.Cpu >= MostCpus)
        {
            // Messages of perf, and incomplete lines.
            if (text.IndexOf("sched_switch:"u8) >= 0 || text.IndexOf("sched_wak"u8) >= 0)
            {
                NotUnderstood(text);
                _undated++;
            }

            return null;
        }

        if (line.Time == 0)
        {
            MadeUp(line);
            return null;
        }

        if (line.Cpu < 0)
        {
            return null;
        }

        if (line.Time < _lastPrinted)
        {
            if (_lastPrinted - line.Time > LatestNs)
            {
                return $"line {number} is {(_lastPrinted - line.Time) / 1e9:0.0} s older than the one before it";
            }

            Lose(line, _last, 1);
            return null;
        }

        // Lines of the same microsecond are in order, and keep it.
        var time = line.Time > _last ? line.Time : Math.Max(_last, Math.Min(_last + 1, line.Time + line.Precision - 1));
        _precision = Math.Max(_precision, line.Precision);
        _lastPrinted = line.Time;
        _namesProcesses |= line.Pid > 0;
        if (!Send(line, time))
        {
            NotUnderstood(text);
            Lose(line, time, 1);
        }

        _last = At(line.Cpu).Last = time;
        return null;
    }

    /// <returns>False if the line is about the scheduler and could not be parsed.</returns>
    private bool Send(in ScriptLine line, long time)
    {
        var name = line.Event;
        if (name.StartsWith("PERF_RECORD_"u8))
        {
            Record(name["PERF_RECORD_".Length..], line, time);
            return true;
        }

        _threads.Runs(time, line.Pid, line.Tid, line.Comm);
        if (name.StartsWith("cpu-clock"u8))
        {
            if (line.Tid >= 0)
            {
                Count(time);
                _sink.Sample(time, line.Cpu, line.Pid >= 0 ? line.Pid : _threads.OwnerOf(line.Tid), line.Tid, default);
            }

            return true;
        }

        name = name.StartsWith("sched:"u8) ? name["sched:".Length..] : name;
        return name switch
        {
            _ when name.SequenceEqual("sched_switch"u8) => Switch(line, time),
            _ when name.SequenceEqual("sched_waking"u8) => Wakeup(line, time, WakeupEvent.Waking, line.Tid),
            _ when name.SequenceEqual("sched_wakeup"u8) => Wakeup(line, time, WakeupEvent.Wakeup, -1),
            _ when name.SequenceEqual("sched_wakeup_new"u8) => Wakeup(line, time, WakeupEvent.WakeupNew, line.Tid),
            _ when name.SequenceEqual("sched_process_exit"u8) => Exit(line, time),
            _ => Other(),
        };
    }

    private bool Switch(in ScriptLine line, long time)
    {
        if (!ScriptFields.TrySwitch(line.Data, out var left, out var state, out var came) || left.Tid < 0 || came.Tid < 0)
        {
            return false;
        }

        _switches++;
        Count(time);
        _threads.IsNamed(time, left.Tid, left.Comm);
        _threads.IsNamed(time, came.Tid, came.Comm);
        At(line.Cpu).Runs = came.Tid;
        _sink.Switch(time, line.Cpu, left.Tid, state, came.Tid);
        return true;
    }

    private bool Wakeup(in ScriptLine line, long time, WakeupEvent wakeup, int waker)
    {
        if (!ScriptFields.TryWakeup(line.Data, out var woken, out var cpu) || woken.Tid < 0 || cpu is < 0 or >= MostCpus)
        {
            return false;
        }

        Count(time);
        if (wakeup == WakeupEvent.WakeupNew && _threads.IsBorn(woken.Tid))
        {
            _sink.ThreadStart(time, _threads.OwnerOf(woken.Tid), woken.Tid, line.Tid);
        }

        _threads.IsNamed(time, woken.Tid, woken.Comm);
        _sink.Wakeup(time, line.Cpu, wakeup, waker == 0 ? -1 : waker, woken.Tid, cpu);
        return true;
    }

    private bool Exit(in ScriptLine line, long time)
    {
        if (!ScriptFields.TryExit(line.Data, out var ended) || ended.Tid < 0)
        {
            return false;
        }

        _sink.ThreadExit(time, line.Pid >= 0 ? line.Pid : _threads.OwnerOf(ended.Tid), ended.Tid);
        return true;
    }

    private bool Other()
    {
        _others++;
        return true;
    }

    private ref Cpu At(int cpu)
    {
        while (_cpus.Count <= cpu)
        {
            _cpus.Add(new Cpu { Runs = -1, Last = -1 });
        }

        return ref CollectionsMarshal.AsSpan(_cpus)[cpu];
    }

    private void Count(long time)
    {
        _events++;
        _first = _first < 0 ? time : _first;
        _lastEvent = time;
    }

    private void Lose(in ScriptLine line, long before, long count)
    {
        _lost += count;
        _sink.Lost(Math.Min(At(line.Cpu).Last, line.Time), before, line.Cpu, count);
    }

    private void NotUnderstood(ReadOnlySpan<byte> text)
    {
        const int shown = 400;
        _unreadable++;
        _firstUnreadable ??= text[..Math.Min(text.Length, shown)].ToArray();
    }

    private struct Cpu
    {
        /// <summary>The thread that the CPU runs; -1: not reported.</summary>
        internal int Runs;

        /// <summary>Time of the CPU's last line, ns; -1: none yet.</summary>
        internal long Last;
    }
}
