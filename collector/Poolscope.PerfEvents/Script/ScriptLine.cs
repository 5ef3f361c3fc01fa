using System.Buffers.Text;

namespace Poolscope.PerfEvents.Script;

/// <summary>One parsed line of `perf script`: COMM PID/TID [CPU] TIME: PERIOD EVENT: DATA. The process, the period and
/// the words between CPU and time may be missing.</summary>
internal readonly ref struct ScriptLine
{
    private const int MicrosecondDigits = 6;
    private const int NanosecondDigits = 9;
    private const long NsPerSecond = 1_000_000_000;

    // 73 years of uptime.
    private const ulong LatestSecond = 2_305_843_008;

    // The kind of address space, and the time of day, which has two words.
    private const int MostWordsBeforeTime = 4;

    /// <summary>The name of the thread; empty: not printed.</summary>
    internal ReadOnlySpan<byte> Comm { get; private init; }

    /// <summary>The process of the thread; -1: not printed.</summary>
    internal int Pid { get; private init; }

    /// <summary>The id of the thread; -1: not printed, or the thread is gone.</summary>
    internal int Tid { get; private init; }

    /// <summary>The CPU; -1: perf made the line itself.</summary>
    internal int Cpu { get; private init; }

    /// <summary>The time, ns.</summary>
    internal long Time { get; private init; }

    /// <summary>The unit to which the time was rounded down, ns: 1 or 1000.</summary>
    internal int Precision { get; private init; }

    /// <summary>The event's name, such as "sched:sched_switch"; for a record of the perf core, "PERF_RECORD_LOST" and
    /// the like.</summary>
    internal ReadOnlySpan<byte> Event { get; private init; }

    /// <summary>The text after the name.</summary>
    internal ReadOnlySpan<byte> Data { get; private init; }

    /// <returns>False if the line is not an event, or lacks CPU, time or name.</returns>
    internal static bool TryRead(ReadOnlySpan<byte> text, out ScriptLine line)
    {
        // A name may contain brackets, but has at most 15 bytes: too few for a CPU, a time and an event.
        for (var at = text.IndexOf((byte)'['); at >= 0;)
        {
            if (TryCpu(text, at, out var cpu, out var end) && TryTime(text[end..], out var time, out var precision, out var rest) && TryName(rest, out var name, out var data))
            {
                Thread(text[..at].Trim((byte)' '), out var comm, out var pid, out var tid);
                line = new ScriptLine { Comm = comm, Pid = pid, Tid = tid, Cpu = cpu, Time = time, Precision = precision, Event = name, Data = data };
                return true;
            }

            var next = text[(at + 1)..].IndexOf((byte)'[');
            at = next < 0 ? -1 : at + 1 + next;
        }

        line = default;
        return false;
    }

    /// <summary>Returns whether the text has a time like that of an event, with or without the rest.</summary>
    internal static bool HasTime(ReadOnlySpan<byte> text)
    {
        for (; !text.IsEmpty; text = text[Word(text).Length..].TrimStart((byte)' '))
        {
            if (TryTime(Word(text), out _))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns whether the text has a CPU.</summary>
    internal static bool HasCpu(ReadOnlySpan<byte> text)
    {
        for (var at = text.IndexOf((byte)'['); at >= 0; at = text.IndexOf((byte)'['))
        {
            if (TryCpu(text, at, out _, out _))
            {
                return true;
            }

            text = text[(at + 1)..];
        }

        return false;
    }

    // [001]
    private static bool TryCpu(ReadOnlySpan<byte> text, int at, out int cpu, out int end)
    {
        end = 0;
        if (!Utf8Parser.TryParse(text[(at + 1)..], out cpu, out var digits) || cpu < -1)
        {
            return false;
        }

        end = at + 1 + digits;
        return end < text.Length && text[end++] == ']' && end < text.Length && text[end] == ' ';
    }

    private static bool TryTime(ReadOnlySpan<byte> text, out long time, out int precision, out ReadOnlySpan<byte> rest)
    {
        time = 0;
        precision = 0;
        rest = text;
        for (var words = 0; words < MostWordsBeforeTime; words++)
        {
            rest = rest.TrimStart((byte)' ');
            var word = Word(rest);
            rest = rest[word.Length..];
            if (TryTime(word, out var found))
            {
                time = found.Time;
                precision = found.Precision;
                return true;
            }
        }

        return false;
    }

    // 64540.338237: or 64540.338237126:
    private static bool TryTime(ReadOnlySpan<byte> word, out (long Time, int Precision) found)
    {
        found = default;
        var point = word.IndexOf((byte)'.');
        if (point <= 0 || word[^1] != ':' || !Utf8Parser.TryParse(word, out ulong seconds, out var digits) || digits != point || seconds > LatestSecond
            || !Utf8Parser.TryParse(word[(point + 1)..], out ulong fraction, out digits) || point + 1 + digits != word.Length - 1)
        {
            return false;
        }

        found = digits switch
        {
            MicrosecondDigits => (((long)seconds * NsPerSecond) + ((long)fraction * 1000), 1000),
            NanosecondDigits => (((long)seconds * NsPerSecond) + (long)fraction, 1),
            _ => default,
        };
        return found.Precision > 0;
    }

    private static bool TryName(ReadOnlySpan<byte> text, out ReadOnlySpan<byte> name, out ReadOnlySpan<byte> data)
    {
        text = text.TrimStart((byte)' ');
        if (text.StartsWith("PERF_RECORD_"u8))
        {
            var end = text.IndexOfAny(" :("u8);
            name = end < 0 ? text : text[..end];
            data = end < 0 ? default : text[end..];
            return true;
        }

        name = Word(text);
        if (name.IndexOfAnyExceptInRange((byte)'0', (byte)'9') < 0)
        {
            text = text[name.Length..].TrimStart((byte)' '); // the period
            name = Word(text);
        }

        data = text[name.Length..].Trim((byte)' ');
        var isName = name is [.., (byte)':'];
        name = isName ? name[..^1] : name;
        return isName;
    }

    // swapper     0/0
    private static void Thread(ReadOnlySpan<byte> text, out ReadOnlySpan<byte> comm, out int pid, out int tid)
    {
        var space = text.LastIndexOf((byte)' ');
        var ids = text[(space + 1)..];
        comm = text[..(space + 1)].TrimEnd((byte)' ');
        pid = -1;
        if (Utf8Parser.TryParse(ids, out tid, out var digits) && digits == ids.Length)
        {
            return;
        }

        if (!ScriptFields.TryPair(ids, (byte)'/', out pid, out tid, out var rest) || !rest.IsEmpty)
        {
            comm = text;
            pid = tid = -1;
        }
    }

    private static ReadOnlySpan<byte> Word(ReadOnlySpan<byte> text)
    {
        var end = text.IndexOf((byte)' ');
        return end < 0 ? text : text[..end];
    }
}
