using System.Globalization;

namespace Poolscope.Decode.Import;

/// <summary>Evidence that two recordings share a clock, taken from the activity of threads. A thread that writes an
/// event is on a CPU. The clocks are the same if the other recording shows the thread on a CPU too, and no longer does
/// once one of them is shifted.</summary>
/// <param name="Moments">Events of threads at whose times the other recording shows what the threads did.</param>
/// <param name="Running">The number of these moments at which the thread was on a CPU.</param>
/// <param name="Shifted">The largest share of moments on a CPU over all shifts tried; 1 if too few were tried.</param>
internal sealed record ClockEvidence(int Moments, int Running, double Shifted)
{
    /// <summary>The fewest moments that prove anything.</summary>
    public const int Fewest = 20;

    /// <summary>The share of moments that must agree. A few threads may have come or gone unseen.</summary>
    private const double Agrees = 0.99;

    /// <summary>The largest share of moments that may agree under a shift. A larger share does not show the shift:
    /// threads that are always on a CPU agree at any shift.</summary>
    private const double AgreesByChance = 0.9;

    /// <summary>A smaller share of moments refutes the match: a file that lost the rest of its events would be
    /// unreadable.</summary>
    private const double Impossible = 0.5;

    /// <summary>Shifts in ms, in both directions. They are in no ratio to the periods of timers, which agree with
    /// themselves after each period.</summary>
    private static readonly double[] Shifts = [5.3, 7.9, 13.7, 29.3, 61.1, 127.7, 331.9, 997.3, 3101.7];

    /// <summary>The largest probability that all moments agree by chance.</summary>
    private const double Chance = 1e-6;

    /// <summary>The number of shifts that must be possible within the recording: those up to 61 ms.</summary>
    private const int FewestShifts = 5;

    public double Share => Moments == 0 ? 0 : (double)Running / Moments;

    /// <summary>Whether the recordings have one clock and the same threads, before shifts are considered.</summary>
    public bool IsAgreed => Moments >= Fewest && Share >= Agrees;

    /// <summary>Whether the recordings have one clock, to within 5 ms, and the same threads.</summary>
    public bool IsProven => IsAgreed && Shifted <= AgreesByChance && Math.Pow(Shifted, Moments) <= Chance;

    /// <summary>Whether the clocks or the threads differ, whatever the recordings themselves say.</summary>
    public bool IsRefuted => Moments >= Fewest && Share < Impossible;

    /// <summary>A message for the user.</summary>
    public string Text => string.Create(
        CultureInfo.InvariantCulture,
        $"at {Running:N0} of {Moments:N0} moments at which the runtime saw a thread run, so does the kernel ({100 * Share:0.0} %{(IsAgreed ? $"; shifted by 5 ms or more at most {100 * Shifted:0.0} %" : "")})");

    /// <param name="firstNs">The start of the kernel's recording, ns.</param>
    /// <param name="lastNs">The end of the kernel's recording, ns.</param>
    /// <param name="precision">The unit to which the kernel's times were rounded down, ns.</param>
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
