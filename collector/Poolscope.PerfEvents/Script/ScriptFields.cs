using System.Buffers.Text;

namespace Poolscope.PerfEvents.Script;

/// <summary>Parses the text of a scheduler event, in the format of the kernel (prev_comm=... prev_pid=...) or of
/// libtraceevent's plug-in (COMM:PID [PRIORITY] ...), which perf uses if it finds it.</summary>
internal static class ScriptFields
{
    /// <summary>The state letters of kernels from 4.14 on (include/trace/events/sched.h). In older kernels X and Z are
    /// swapped, and the bits that follow have the other letters.</summary>
    private static ReadOnlySpan<byte> KernelStates => "SDTtXZPI+xKWN"u8;

    /// <summary>The state letters of the plug-in, which has the states of older kernels: it prints W for an idle
    /// thread, and nothing for +.</summary>
    private static ReadOnlySpan<byte> PluginStates => "SDTtZXxW"u8;

    /// <summary>A thread as an event names it.</summary>
    internal readonly ref struct Named(ReadOnlySpan<byte> comm, int tid)
    {
        internal ReadOnlySpan<byte> Comm { get; } = comm;

        internal int Tid { get; } = tid;
    }

    /// <param name="state">Kernel state mask of the thread that left.</param>
    internal static bool TrySwitch(ReadOnlySpan<byte> text, out Named left, out int state, out Named came)
    {
        left = default;
        came = default;
        state = 0;
        if (!text.StartsWith("prev_comm="u8))
        {
            return TryBracketed(text, out left, out var rest) && TryState(rest, out state, out var next) && TryBracketed(next, out came, out _);
        }

        // The name of a thread may look like the separator.
        for (var at = text.IndexOf(" ==> next_comm="u8); at >= 0;)
        {
            var before = text[..at];
            var after = text[(at + " ==> ".Length)..];
            var told = before.LastIndexOf(" prev_state="u8);
            if (told >= 0 && TryLetters(before[(told + " prev_state=".Length)..], KernelStates, out state)
                && TryNamed(before, "prev_comm="u8, " prev_pid="u8, out left) && TryNamed(after, "next_comm="u8, " next_pid="u8, out came))
            {
                return true;
            }

            var more = text[(at + 1)..].IndexOf(" ==> next_comm="u8);
            at = more < 0 ? -1 : at + 1 + more;
        }

        return false;
    }

    /// <summary>Parses sched_waking, sched_wakeup and sched_wakeup_new.</summary>
    internal static bool TryWakeup(ReadOnlySpan<byte> text, out Named woken, out int targetCpu)
    {
        targetCpu = 0;
        return text.StartsWith("comm="u8)
            ? TryNamed(text, "comm="u8, " pid="u8, out woken) && TryNumber(text, " target_cpu="u8, out targetCpu)
            : TryBracketed(text, out woken, out var rest) && TryNumber(rest, " CPU:"u8, out targetCpu);
    }

    /// <summary>Parses sched_process_exit.</summary>
    internal static bool TryExit(ReadOnlySpan<byte> text, out Named ended) =>
        text.StartsWith("comm="u8) ? TryNamed(text, "comm="u8, " pid="u8, out ended) : TryBracketed(text, out ended, out _);

    /// <summary>Parses two numbers with a separator: PID/TID, or PID:TID.</summary>
    internal static bool TryPair(ReadOnlySpan<byte> text, byte between, out int first, out int second, out ReadOnlySpan<byte> rest)
    {
        second = 0;
        rest = default;
        if (!Utf8Parser.TryParse(text, out first, out var digits) || digits >= text.Length || text[digits] != between
            || !Utf8Parser.TryParse(text[(digits + 1)..], out second, out var more))
        {
            return false;
        }

        rest = text[(digits + 1 + more)..];
        return true;
    }

    // comm=dotnet pid=18 prio=120: the last " pid=" is the field, even if the name contains another one.
    private static bool TryNamed(ReadOnlySpan<byte> text, ReadOnlySpan<byte> comm, ReadOnlySpan<byte> pid, out Named named)
    {
        named = default;
        var at = text.LastIndexOf(pid);
        if (at < comm.Length || !TryNumber(text, pid, out var tid))
        {
            return false;
        }

        named = new Named(text[comm.Length..at], tid);
        return true;
    }

    private static bool TryNumber(ReadOnlySpan<byte> text, ReadOnlySpan<byte> field, out int number)
    {
        number = 0;
        var at = text.LastIndexOf(field);
        return at >= 0 && Utf8Parser.TryParse(text[(at + field.Length)..], out number, out var digits) && EndsWord(text[(at + field.Length + digits)..]);
    }

    // migration/0:18 [0]
    private static bool TryBracketed(ReadOnlySpan<byte> text, out Named named, out ReadOnlySpan<byte> rest)
    {
        for (int from = 0, found; (found = text[from..].IndexOf(" ["u8)) >= 0; from += found + 1)
        {
            var before = text[..(from + found)];
            var after = text[(from + found + 2)..];
            var colon = before.LastIndexOf((byte)':');
            if (colon >= 0 && Utf8Parser.TryParse(before[(colon + 1)..], out int tid, out var digits) && colon + 1 + digits == before.Length
                && Utf8Parser.TryParse(after, out int _, out digits) && digits < after.Length && after[digits] == ']')
            {
                named = new Named(before[..colon], tid);
                rest = after[(digits + 1)..];
                return true;
            }
        }

        named = default;
        rest = default;
        return false;
    }

    //  S ==> next
    private static bool TryState(ReadOnlySpan<byte> text, out int state, out ReadOnlySpan<byte> rest)
    {
        state = 0;
        var at = text.IndexOf(" ==> "u8);
        rest = at < 0 ? default : text[(at + " ==> ".Length)..];
        return at > 0 && text[0] == ' ' && TryLetters(text[1..at], PluginStates, out state);
    }

    /// <summary>Parses the letters of a state: R, S, D|K, R+ and the like.</summary>
    /// <param name="states">The letter of each bit of the mask, from the lowest on.</param>
    private static bool TryLetters(ReadOnlySpan<byte> text, ReadOnlySpan<byte> states, out int state)
    {
        state = 0;
        foreach (var letter in text)
        {
            var bit = states.IndexOf(letter);
            if (bit < 0 && letter is not ((byte)'R' or (byte)'|'))
            {
                return false;
            }

            state |= bit < 0 ? 0 : 1 << bit;
        }

        return !text.IsEmpty;
    }

    private static bool EndsWord(ReadOnlySpan<byte> rest) => rest.IsEmpty || rest[0] == ' ';
}
