using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `throttles` from the counters that the collector read: the kernel's only grow, so rows are differences.</summary>
public static class ThrottleStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "throttle.csv";

    public const string Header = "time_ns,periods,throttled_periods,throttled_ns,group";

    /// <returns>Null: the capture has no such file, so nothing is known; an empty table is a process that was not throttled.</returns>
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
            // Another group has counters of its own, and a group made again starts at nothing.
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
/// <param name="Throttled">ns.</param>
internal readonly record struct ThrottleReading(long Time, long Periods, long ThrottledPeriods, long Throttled, string Group)
{
    private const int Columns = 5;

    /// <returns>Null: the header, the last line of a collector that was killed, or a reading that cannot be.</returns>
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
