using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `capacity` from what the collector saw of the target's affinity and quota.</summary>
public static class CapacityStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "capacity.csv";

    public const string Header = "time_ns,cpus_allowed,cpu_quota";

    private const byte ByAffinity = 0;
    private const byte ByQuota = 1;

    /// <param name="cpus">CPUs of the host, of which no more can be allowed.</param>
    /// <returns>Null: the capture has no such file; then the manifest's figures hold for all of it.</returns>
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
            var byQuota = reading.Quota < reading.Allowed; // no quota is NaN, which is not less
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

    /// <returns>Null: the header, the last line of a collector that was killed, or a reading that cannot be.</returns>
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
/// <param name="Quota">CPUs' worth of time that its cgroup allows; NaN: no quota.</param>
internal readonly record struct CapacityReading(long Time, int Allowed, double Quota);
