using System.Buffers.Text;

namespace Poolscope.Collect.Schedstat;

/// <summary>The counters in /proc/PID/task/TID/schedstat.</summary>
/// <param name="RunNs">The time on a core, as of the last tick.</param>
/// <param name="WaitNs">The time in the run queue, without a wait that is not over.</param>
/// <param name="Slices">The number of times that the thread came onto a core.</param>
internal readonly record struct ThreadCounters(long RunNs, long WaitNs, long Slices)
{
    /// <returns>False if the text is not three numbers.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, out ThreadCounters counters)
    {
        counters = default;
        if (!Next(ref text, out var run) || !Next(ref text, out var wait) || !Next(ref text, out var slices))
        {
            return false;
        }

        counters = new ThreadCounters(run, wait, slices);
        return true;
    }

    private static bool Next(ref ReadOnlySpan<byte> text, out long number)
    {
        text = text.TrimStart((byte)' ');
        if (!Utf8Parser.TryParse(text, out number, out var used))
        {
            return false;
        }

        text = text[used..];
        return true;
    }
}

/// <summary>The needed part of /proc/PID/task/TID/stat: "TID (name) S ...".</summary>
internal readonly ref struct ThreadStat
{
    /// <summary>The state; 'R' is runnable, on a core or not.</summary>
    public char State { get; private init; }

    public ReadOnlySpan<byte> Name { get; private init; }

    public static bool TryParse(ReadOnlySpan<byte> text, out ThreadStat stat)
    {
        // A name may hold blanks and brackets itself.
        var (open, close) = (text.IndexOf((byte)'('), text.LastIndexOf((byte)')'));
        stat = default;
        if (open < 0 || close < open || close + 2 >= text.Length)
        {
            return false;
        }

        stat = new ThreadStat { State = (char)text[close + 2], Name = text[(open + 1)..close] };
        return true;
    }
}
