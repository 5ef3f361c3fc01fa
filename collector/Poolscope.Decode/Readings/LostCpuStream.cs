using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `lost_cpu`, from the kernel counters that the collector read. The counters only grow; each row is a
/// difference.</summary>
public static class LostCpuStream
{
    /// <summary>File name in the capture folder. The first line is <see cref="Header"/>.</summary>
    public const string FileName = "lost-cpu.csv";

    public const string Header = "time_ns,stolen_ns,interrupts_ns";

    /// <returns>The table; null if the capture has no such file, so that the lost time is unknown.</returns>
    internal static Table? Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, LostCpuReading.Parse, reading => reading.Time, progress) is { } readings ? ToTable(readings) : null;

    internal static Table ToTable(IEnumerable<LostCpuReading> readings)
    {
        var table = Table.Create("lost_cpu");
        var (start, end) = (table.Int64("start"), table.Int64("end"));
        var (stolen, interrupts) = (table.Int64("stolen"), table.Int64("interrupts"));
        LostCpuReading? before = null;
        foreach (var reading in readings)
        {
            if (before is { } last && reading.Time > last.Time)
            {
                start.Add(last.Time);
                end.Add(reading.Time);

                // On some kernels the counters drop a little when a CPU goes offline.
                stolen.Add(Math.Max(reading.Stolen - last.Stolen, 0));
                interrupts.Add(Math.Max(reading.Interrupts - last.Interrupts, 0));
            }

            before = reading;
        }

        return table;
    }
}

/// <summary>CPU time lost since the machine started, ns, summed over all CPUs.</summary>
/// <param name="Time">CLOCK_MONOTONIC ns.</param>
internal readonly record struct LostCpuReading(long Time, long Stolen, long Interrupts)
{
    private const int Columns = 3;

    /// <returns>The reading; null for the header, a line truncated by a killed collector, or impossible
    /// values.</returns>
    public static LostCpuReading? Parse(string line)
    {
        var fields = line.Split(',');
        return fields.Length == Columns && Number(fields[0], out var time) && Number(fields[1], out var stolen) && Number(fields[2], out var interrupts)
            ? new LostCpuReading(time, stolen, interrupts)
            : null;
    }

    private static bool Number(string text, out long number) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
