using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `throttles`, from the kernel counters that the collector read. The counters only grow; each row is a
/// difference.</summary>
public static class ThrottleStream
{
    /// <summary>File name in the capture folder. The first line is <see cref="Header"/>.</summary>
    public const string FileName = "throttle.csv";

    public const string Header = "time_ns,periods,throttled_periods,throttled_ns,group";

    /// <returns>The table, empty if the process was not throttled; null if the capture has no such file, so that
    /// throttling is unknown.</returns>
    internal static Table? Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, ThrottleReading.Parse, reading => reading.Time, progress) is { } readings ? ToTable(readings) : null;

    internal static Table ToTable(IEnumerable<ThrottleReading> readings)
    {
        var table = Table.Create("throttles");
        var (start, end) = (table.Int64("start"), table.Int64("end"));
        var (periods, throttledPeriods, throttled) = (table.Int64("periods"), table.Int64("throttled_periods"), table.Int64("throttled"));
        ThrottleReading? before = null;
        foreach (var reading in readings)
        {
            // Each cgroup has its own counters, and a cgroup made again starts at zero.
            if (before is { } last && last.Group == reading.Group && reading.Throttled > last.Throttled)
            {
                start.Add(last.Time);
                end.Add(reading.Time);
                periods.Add(reading.Periods - last.Periods);
                throttledPeriods.Add(reading.ThrottledPeriods - last.ThrottledPeriods);
                throttled.Add(reading.Throttled - last.Throttled);
            }

            before = reading;
        }

        return table;
    }
}

/// <summary>The counters of a cgroup's cpu.stat at a moment.</summary>
/// <param name="Time">CLOCK_MONOTONIC ns.</param>
/// <param name="Throttled">Time throttled, ns.</param>
internal readonly record struct ThrottleReading(long Time, long Periods, long ThrottledPeriods, long Throttled, string Group)
{
    private const int Columns = 5;

    /// <returns>The reading; null for the header, a line truncated by a killed collector, or impossible
    /// values.</returns>
    public static ThrottleReading? Parse(string line)
    {
        var fields = line.Split(',', Columns);
        return fields.Length == Columns && Number(fields[0], out var time) && Number(fields[1], out var periods)
            && Number(fields[2], out var throttledPeriods) && Number(fields[3], out var throttled)
            ? new ThrottleReading(time, periods, throttledPeriods, throttled, fields[4])
            : null;
    }

    private static bool Number(string text, out long number) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
