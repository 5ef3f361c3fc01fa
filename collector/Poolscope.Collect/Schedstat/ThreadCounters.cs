using System.Buffers.Text;

namespace Poolscope.Collect.Schedstat;

/// <summary>/proc/PID/task/TID/schedstat.</summary>
/// <param name="RunNs">Time on a core, as of the last tick.</param>
/// <param name="WaitNs">Time in the run queue; a wait that is not over is not in it.</param>
/// <param name="Slices">How often it came onto a core.</param>
internal readonly record struct ThreadCounters(long RunNs, long WaitNs, long Slices)
{
    /// <returns>False: these are not three numbers.</returns>
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

/// <summary>What is wanted of /proc/PID/task/TID/stat: "TID (name) S ...".</summary>
internal readonly ref struct ThreadStat
{
    /// <summary>'R': runnable, on a core or not.</summary>
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
