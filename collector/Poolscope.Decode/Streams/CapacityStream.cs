using System.Globalization;
using Poolscope.Tables;

namespace Poolscope.Decode.Streams;

/// <summary>Table `capacity` from what the collector saw of the target's affinity and quota.</summary>
public static class CapacityStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "capacity.csv";

    public const string Header = "time_ns,cpus_allowed,cpu_quota";

    private const byte ByAffinity = 0;
    private const byte ByQuota = 1;

    /// <returns>Null: the capture has no such file; then the manifest's figures hold for all of it.</returns>
    internal static Table? Read(Capture capture)
    {
        if (!capture.Has(FileName))
        {
            return null;
        }

        var (table, first, last, readings) = Read(File.ReadLines(capture.PathOf(FileName)));
        capture.AddPolled(FileName, first, last, readings);
        return table;
    }

    internal static (Table Table, long First, long Last, long Readings) Read(IEnumerable<string> lines)
    {
        var table = Table.Create("capacity");
        var (time, cores) = (table.Int64("time"), table.Float64("cores"));
        var (allowed, quota, limit) = (table.Int32("cpus_allowed"), table.Float64("cpu_quota"), table.Enum("limited_by"));
        var (first, last, readings) = (-1L, -1L, 0L);
        foreach (var reading in lines.Select(Parse).OfType<(long Time, int Allowed, double Quota)>())
        {
            first = first < 0 ? reading.Time : first;
            last = reading.Time;
            readings++;
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

        return (table, first, last, readings);
    }

    /// <returns>Null: the header, or the last line of a collector that was killed.</returns>
    private static (long Time, int Allowed, double Quota)? Parse(string line)
    {
        var fields = line.Split(',');
        if (fields.Length != 3
            || !long.TryParse(fields[0], NumberStyles.None, CultureInfo.InvariantCulture, out var time)
            || !int.TryParse(fields[1], NumberStyles.None, CultureInfo.InvariantCulture, out var allowed))
        {
            return null;
        }

        return (time, allowed, double.TryParse(fields[2], CultureInfo.InvariantCulture, out var quota) ? quota : double.NaN);
    }
}
