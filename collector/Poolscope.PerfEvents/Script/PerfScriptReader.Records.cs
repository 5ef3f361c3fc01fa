using System.Buffers.Text;

namespace Poolscope.PerfEvents.Script;

/// <content>Records of the perf core, and those that perf makes itself at the beginning and the end.</content>
internal sealed partial class PerfScriptReader
{
    private const long MostLost = 1L << 40;

    /// <summary>Reads a record of the perf core, which perf prints if its option --show-... was given.</summary>
    private void Record(ReadOnlySpan<byte> name, in ScriptLine line, long time)
    {
        var data = line.Data;
        if (name.SequenceEqual("SWITCH_CPU_WIDE"u8))
        {
            _threads.Runs(time, line.Pid, line.Tid, line.Comm);
            var pair = data.Trim((byte)' ');
            if (pair.StartsWith("IN "u8) && ScriptFields.TryPair(pair[(pair.LastIndexOf((byte)' ') + 1)..], (byte)'/', out _, out var before, out _))
            {
                Arrived(time, line.Cpu, line.Tid, before);
            }
        }
        else if (name.SequenceEqual("COMM"u8))
        {
            Named(line, time);
        }
        else if (name.SequenceEqual("FORK"u8) && Pairs(data, out var pid, out var tid, out var parent) && tid > 0)
        {
            _sink.ThreadStart(time, pid, tid, parent);
            _threads.IsTold(time, pid, tid, default);
        }
        else if (name.SequenceEqual("EXIT"u8) && Pairs(data, out pid, out tid, out _) && tid > 0)
        {
            _sink.ThreadExit(time, pid, tid);
        }
        else if (name is [(byte)'L', (byte)'O', (byte)'S', (byte)'T', ..] && Losses(data) is > 0 and var count)
        {
            Lose(line, time, count);
        }
    }

    /// <summary>Reads a record that perf made itself: existing threads at the beginning, losses without a time at the
    /// end.</summary>
    private void MadeUp(in ScriptLine line)
    {
        if (line.Event.SequenceEqual("PERF_RECORD_COMM"u8))
        {
            _namesProcesses = true;
            Named(line, 0);
        }
        else if (line.Event.StartsWith("PERF_RECORD_LOST"u8))
        {
            _undated += Losses(line.Data);
        }
    }

    // PERF_RECORD_COMM: kthreadd:2/2, or PERF_RECORD_COMM exec: ls:2/2
    private void Named(in ScriptLine line, long time)
    {
        var start = line.Data.IndexOf(": "u8);
        var named = start < 0 ? default : line.Data[(start + 2)..];
        var colon = named.LastIndexOf((byte)':');
        if (colon >= 0 && ScriptFields.TryPair(named[(colon + 1)..], (byte)'/', out var pid, out var tid, out _))
        {
            _threads.IsTold(time, pid, tid, named[..colon]);
        }
    }

    // (16783:16884):(16782:16782)
    private static bool Pairs(ReadOnlySpan<byte> data, out int pid, out int tid, out int parent)
    {
        pid = tid = parent = 0;
        return data is [(byte)'(', ..] && ScriptFields.TryPair(data[1..], (byte)':', out pid, out tid, out var rest)
            && rest.StartsWith("):("u8) && ScriptFields.TryPair(rest[3..], (byte)':', out _, out parent, out _);
    }

    // lost 69
    private static long Losses(ReadOnlySpan<byte> data)
    {
        var at = data.IndexOf("lost "u8);
        return at >= 0 && Utf8Parser.TryParse(data[(at + "lost ".Length)..], out long count, out _) ? Math.Clamp(count, 0, MostLost) : 0;
    }

    /// <summary>Reports a thread that came without a tracepoint: the thread before it is silent (see
    /// IdleProbe).</summary>
    private void Arrived(long time, int cpu, int thread, int other)
    {
        ref var core = ref At(cpu);
        if (thread > 0 && core.Runs != thread)
        {
            // The kernel no longer has an id for a thread that has ended (-1): it is the one that this CPU ran.
            var left = other >= 0 ? other : Math.Max(core.Runs, 0);
            core.Runs = thread;
            _sink.Switch(time, cpu, left, -1, thread);
        }
    }
}
