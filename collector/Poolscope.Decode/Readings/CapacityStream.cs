using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `capacity`, from the target's affinity and CPU quota as the collector read them.</summary>
public static class CapacityStream
{
    /// <summary>File name in the capture folder. The first line is <see cref="Header"/>.</summary>
    public const string FileName = "capacity.csv";

    public const string Header = "time_ns,cpus_allowed,cpu_quota";

    private const byte ByAffinity = 0;
    private const byte ByQuota = 1;

    /// <param name="cpus">CPUs of the host, the upper limit of the allowed CPUs.</param>
    /// <returns>The table; null if the capture has no such file. Then the manifest's figures hold for the whole
    /// capture.</returns>
    internal static Table? Read(Capture capture, int cpus, IProgress<string>? progress) =>
        PolledFile.Read<CapacityReading>(capture, FileName, Header, line => Parse(line) is { } reading && reading.Allowed <= cpus ? reading : null, reading => reading.Time, progress) is { } readings
            ? ToTable(readings)
            : null;

    internal static Table ToTable(IEnumerable<CapacityReading> readings)
    {
        var table = Table.Create("capacity");
        var (time, cores) = (table.Int64("time"), table.Float64("cores"));
        var (allowed, quota, limit) = (table.Int32("cpus_allowed"), table.Float64("cpu_quota"), table.Enum("limited_by"));
        foreach (var reading in readings)
        {
            var byQuota = reading.Quota < reading.Allowed; // NaN means no quota and is not less
            var now = byQuota ? reading.Quota : reading.Allowed;
            if (table.Count > 0 && cores[table.Count - 1] == now && allowed[table.Count - 1] == reading.Allowed)
            {
                continue;
            }

            time.Add(reading.Time);
            cores.Add(now);
            allowed.Add(reading.Allowed);
            quota.Add(reading.Quota);
            limit.Add(byQuota ? ByQuota : ByAffinity);
        }

        return table;
    }

    /// <returns>The reading; null for the header, a line truncated by a killed collector, or impossible
    /// values.</returns>
    internal static CapacityReading? Parse(string line)
    {
        var fields = line.Split(',');
        if (fields.Length != 3
            || !long.TryParse(fields[0], NumberStyles.None, CultureInfo.InvariantCulture, out var time)
            || !int.TryParse(fields[1], NumberStyles.None, CultureInfo.InvariantCulture, out var allowed)
            || allowed == 0)
        {
            return null;
        }

        if (fields[2].Length == 0)
        {
            return new CapacityReading(time, allowed, double.NaN);
        }

        return double.TryParse(fields[2], NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent, CultureInfo.InvariantCulture, out var quota)
            && double.IsFinite(quota) && quota > 0
            ? new CapacityReading(time, allowed, quota)
            : null;
    }
}

/// <param name="Time">CLOCK_MONOTONIC ns.</param>
/// <param name="Allowed">CPUs of the target's affinity, 1 or more.</param>
/// <param name="Quota">The cgroup's CPU quota, in CPUs; NaN if there is no quota.</param>
internal readonly record struct CapacityReading(long Time, int Allowed, double Quota);
