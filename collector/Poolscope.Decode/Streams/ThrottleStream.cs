using System.Globalization;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>Table `throttles` from the counters that the collector read: the kernel's only grow, so rows are differences.</summary>
public static class ThrottleStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "throttle.csv";

    public const string Header = "time_ns,periods,throttled_periods,throttled_ns,group";

    /// <returns>Null: the capture has no such file, so nothing is known; an empty table is a process that was not throttled.</returns>
    internal static Table? Read(Capture capture)
    {
        if (!capture.Has(FileName))
        {
            return null;
        }

        var lines = File.ReadAllLines(capture.PathOf(FileName));
        var readings = lines.Select(Reading.Parse).OfType<Reading>().ToList();
        capture.AddPolled(FileName, readings is [var first, ..] ? first.Time : -1, readings is [.., var last] ? last.Time : -1, readings.Count);
        return Read(lines);
    }

    internal static Table Read(IEnumerable<string> lines)
    {
        var table = Table.Create("throttles");
        var (start, end) = (table.Int64("start"), table.Int64("end"));
        var (periods, throttledPeriods, throttled) = (table.Int64("periods"), table.Int64("throttled_periods"), table.Int64("throttled"));
        Reading? before = null;
        foreach (var reading in lines.Select(Reading.Parse).OfType<Reading>())
        {
            // Another group has counters of its own, and a group made anew starts at nothing.
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

    private sealed record Reading(long Time, long Periods, long ThrottledPeriods, long Throttled, string Group)
    {
        /// <returns>Null: the header, or the last line of a collector that was killed.</returns>
        public static Reading? Parse(string line)
        {
            var fields = line.Split(',', 5);
            return fields.Length == 5 && Number(fields[0], out var time) && Number(fields[1], out var periods)
                && Number(fields[2], out var throttledPeriods) && Number(fields[3], out var throttled)
                ? new Reading(time, periods, throttledPeriods, throttled, fields[4])
                : null;
        }

        private static bool Number(string text, out long number) =>
            long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }
}
