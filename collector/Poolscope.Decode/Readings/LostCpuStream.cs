using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `lost_cpu` from the counters that the collector read: the kernel's only grow, so rows are differences.</summary>
public static class LostCpuStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "lost-cpu.csv";

    public const string Header = "time_ns,stolen_ns,interrupts_ns";

    /// <returns>Null: the capture has no such file, so nothing is known.</returns>
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

                // Some kernels' counters step back a little when a CPU goes offline.
                stolen.Add(Math.Max(reading.Stolen - last.Stolen, 0));
                interrupts.Add(Math.Max(reading.Interrupts - last.Interrupts, 0));
            }

            before = reading;
        }

        return table;
    }
}

/// <summary>What the CPUs had lost by a moment since the machine started, ns, summed over them.</summary>
/// <param name="Time">CLOCK_MONOTONIC ns.</param>
internal readonly record struct LostCpuReading(long Time, long Stolen, long Interrupts)
{
    private const int Columns = 3;

    /// <returns>Null: the header, the last line of a collector that was killed, or a reading that cannot be.</returns>
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
