using System.Globalization;

namespace Poolscope.Decode.Import;

/// <summary>Whether two recordings have one clock, by what threads did: a thread that writes an event is on a CPU. If it is by
/// the other recording, too, and is not once one of them is shifted against the other, they have.</summary>
/// <param name="Moments">Events of threads at whose times the other recording says what the threads did.</param>
/// <param name="Running">At how many of them their thread was on a CPU.</param>
/// <param name="Shifted">The largest share of them, over all shifts that were tried; 1: too few could be.</param>
internal sealed record ClockEvidence(int Moments, int Running, double Shifted)
{
    /// <summary>Fewer moments prove nothing.</summary>
    public const int Fewest = 20;

    /// <summary>Of the moments: a few threads may have come or gone unseen.</summary>
    private const double Agrees = 0.99;

    /// <summary>Of the moments, under every shift: more is nothing that shows a shift. Threads that are always on a CPU agree at any.</summary>
    private const double AgreesByChance = 0.9;

    /// <summary>Of the moments: this many events could not be lost and leave anything to read.</summary>
    private const double Impossible = 0.5;

    /// <summary>ms, either way, and in no ratio to the periods of timers, which agree with themselves after each.</summary>
    private static readonly double[] Shifts = [5.3, 7.9, 13.7, 29.3, 61.1, 127.7, 331.9, 997.3, 3101.7];

    /// <summary>So unlikely must it be that all moments agree by chance.</summary>
    private const double Chance = 1e-6;

    /// <summary>How many of the shifts must be possible within the recording: those up to 61 ms.</summary>
    private const int FewestShifts = 5;

    public double Share => Moments == 0 ? 0 : (double)Running / Moments;

    /// <summary>One clock and the same threads, as far as no shift is considered.</summary>
    public bool IsAgreed => Moments >= Fewest && Share >= Agrees;

    /// <summary>One clock, to 5 ms at least, and the same threads.</summary>
    public bool IsProven => IsAgreed && Shifted <= AgreesByChance && Math.Pow(Shifted, Moments) <= Chance;

    /// <summary>Other clocks, or other threads, whatever the recordings say themselves.</summary>
    public bool IsRefuted => Moments >= Fewest && Share < Impossible;

    /// <summary>For a person.</summary>
    public string Text => string.Create(
        CultureInfo.InvariantCulture,
        $"at {Running:N0} of {Moments:N0} moments at which the runtime saw a thread run, so does the kernel ({100 * Share:0.0} %{(IsAgreed ? $"; shifted by 5 ms or more at most {100 * Shifted:0.0} %" : "")})");

    /// <param name="firstNs">From here on the kernel's side was recorded, ns.</param>
    /// <param name="lastNs">Until here.</param>
    /// <param name="precision">What its times were rounded down to, ns.</param>
    public static ClockEvidence Of(Moments moments, OnCpuTimes running, long firstNs, long lastNs, int precision)
    {
        var (count, agree) = At(0);
        var (tried, most) = (0, 0.0);
        foreach (var shift in Shifts)
        {
            var (before, after) = (At((long)(-shift * 1e6)), At((long)(shift * 1e6)));
            if (Math.Min(before.Count, after.Count) < Fewest)
            {
                break;
            }

            tried++;
            most = Math.Max(most, Math.Max((double)before.Agree / before.Count, (double)after.Agree / after.Count));
        }

        return new ClockEvidence(count, agree, tried < FewestShifts ? 1 : most);

        (int Count, int Agree) At(long shift)
        {
            var (count, agree) = (0, 0);
            foreach (var (tid, time) in moments.All)
            {
                var shifted = time + shift;
                if (shifted >= firstNs && shifted <= lastNs && running.IsRunning(tid, shifted, precision) is { } isRunning)
                {
                    count++;
                    agree += isRunning ? 1 : 0;
                }
            }

            return (count, agree);
        }
    }
}
