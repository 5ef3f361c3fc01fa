using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Decode.Counters;
using Poolscope.Tables;

namespace Poolscope.Decode.Readings;

/// <summary>Table `pool_counters`, from the values that the runtime's counters reported during the capture.</summary>
public static class CountersStream
{
    /// <summary>File name in the capture folder. The first line is <see cref="Header"/>.</summary>
    public const string FileName = "counters.csv";

    public const string Header = "time_ns,since_ns,queue_length,completed,threads,timers,methods_compiled,compiling_ns";

    private const int Columns = 8;

    /// <summary>Formats one line of the file.</summary>
    public static string Line(in CounterReading reading) => string.Create(
        CultureInfo.InvariantCulture,
        $"{reading.TimeNs},{reading.SinceNs},{reading.QueueLength},{reading.Completed},{reading.Threads},{reading.Timers},{reading.MethodsCompiled},{reading.CompilingNs}");

    /// <returns>The table; null if the capture has no such file.</returns>
    internal static Table? Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, Parse, reading => reading.TimeNs, progress) is { } readings ? ToTable(readings) : null;

    /// <summary>Builds the table from the counter events of another tool's trace.</summary>
    /// <returns>The table; null if the trace has no counter events.</returns>
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

    /// <returns>The reading; null for the header, a line truncated by a killed collector, or impossible
    /// values.</returns>
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

        // -1 marks a value that was not reported.
        return values.Any(value => value < -1) || values[1] > values[0] || values[4] > int.MaxValue
            ? null
            : new CounterReading(values[0], values[1], values[2], values[3], (int)values[4], values[5], values[6], values[7]);
    }
}
