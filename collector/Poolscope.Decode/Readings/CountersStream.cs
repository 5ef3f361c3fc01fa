using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Decode.Counters;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `pool_counters` from what the runtime's counters said while the capture ran.</summary>
public static class CountersStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "counters.csv";

    public const string Header = "time_ns,since_ns,queue_length,completed,threads,timers,methods_compiled,compiling_ns";

    private const int Columns = 8;

    /// <summary>A line of the file.</summary>
    public static string Line(in CounterReading reading) => string.Create(
        CultureInfo.InvariantCulture,
        $"{reading.TimeNs},{reading.SinceNs},{reading.QueueLength},{reading.Completed},{reading.Threads},{reading.Timers},{reading.MethodsCompiled},{reading.CompilingNs}");

    /// <returns>Null: the capture has no such file.</returns>
    internal static Table? Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, Parse, reading => reading.TimeNs, progress) is { } readings ? ToTable(readings) : null;

    /// <summary>The same of another tool's trace, which may hold the counters among its events.</summary>
    /// <returns>Null: it holds none.</returns>
    internal static Table? OfTrace(IReadOnlyList<CounterReading> readings) => readings.Count > 0 ? ToTable(readings) : null;

    internal static Table ToTable(IEnumerable<CounterReading> readings)
    {
        var table = Table.Create("pool_counters");
        var (time, since) = (table.Int64("time"), table.Int64("since"));
        var (queue, completed, threads) = (table.Int64("queue_length"), table.Int64("completed"), table.Int32("threads"));
        var (timers, methods, compiling) = (table.Int64("timers"), table.Int64("methods_compiled"), table.Int64("compiling"));
        foreach (var reading in readings)
        {
            time.Add(reading.TimeNs);
            since.Add(reading.SinceNs);
            queue.Add(reading.QueueLength);
            completed.Add(reading.Completed);
            threads.Add(reading.Threads);
            timers.Add(reading.Timers);
            methods.Add(reading.MethodsCompiled);
            compiling.Add(reading.CompilingNs);
        }

        return table;
    }

    /// <returns>Null: the header, the last line of a collector that was killed, or a reading that cannot be.</returns>
    internal static CounterReading? Parse(string line)
    {
        var fields = line.Split(',');
        var values = new long[Columns];
        if (fields.Length != Columns)
        {
            return null;
        }

        for (var i = 0; i < Columns; i++)
        {
            if (!long.TryParse(fields[i], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out values[i]))
            {
                return null;
            }
        }

        // -1 stands for what was not reported.
        return values.Any(value => value < -1) || values[1] > values[0] || values[4] > int.MaxValue
            ? null
            : new CounterReading(values[0], values[1], values[2], values[3], (int)values[4], values[5], values[6], values[7]);
    }
}
