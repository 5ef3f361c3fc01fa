using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Reads the output of `perf sched timehist` for a recording: a row for each stay of a thread on a CPU, by
/// thread id.</summary>
internal static partial class Timehist
{
    internal static ILookup<int, TimehistRow> Read(string file)
    {
        using var perf = Process.Start(new ProcessStartInfo("/usr/bin/perf")
        {
            ArgumentList = { "sched", "timehist", "--state", "-i", file },
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        perf.ErrorDataReceived += (_, _) => { };
        perf.BeginErrorReadLine();
        var rows = new List<TimehistRow>();
        while (perf.StandardOutput.ReadLine() is { } line)
        {
            if (Row().Match(line) is { Success: true } match)
            {
                rows.Add(new TimehistRow(
                    int.Parse(match.Groups["tid"].ValueSpan, CultureInfo.InvariantCulture),
                    Scaled(match.Groups["time"], 1_000_000),
                    Scaled(match.Groups["wait"], 1000),
                    Scaled(match.Groups["delay"], 1000)));
            }
        }

        perf.WaitForExit();
        Assert.Equal(0, perf.ExitCode);
        return rows.ToLookup(r => r.Tid);
    }

    /// <summary>Converts seconds or milliseconds with decimals to microseconds.</summary>
    private static long Scaled(Group number, int microseconds) =>
        (long)(decimal.Parse(number.ValueSpan, CultureInfo.InvariantCulture) * microseconds);

    // 2567.814561 [0000]  sleep[19419]   0.000  0.010  0.184  X
    [GeneratedRegex(@"^\s*(?<time>[\d.]+)\s+\[\d+\]\s+.*\[(?<tid>\d+)(/\d+)?\]\s+(?<wait>[\d.]+)\s+(?<delay>[\d.]+)\s+[\d.]+\s+\S+\s*$")]
    private static partial Regex Row();
}

/// <summary>A row of `perf sched timehist`, which truncates times to whole microseconds.</summary>
/// <param name="EndUs">Time at which the thread left.</param>
/// <param name="WaitUs">Time since it had left before; 0 if it had not.</param>
/// <param name="DelayUs">Time since the first sched_waking (or sched_wakeup_new) after it had left; 0 if there was
/// none.</param>
internal readonly record struct TimehistRow(int Tid, long EndUs, long WaitUs, long DelayUs);
