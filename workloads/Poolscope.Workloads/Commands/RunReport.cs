using System.Globalization;
using System.Text.Json.Serialization;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Commands;

/// <summary>The output of `run`.</summary>
/// <param name="PoolName">Name of the pool for `--pool`.</param>
/// <param name="PoolItems">Items that the pool completed in all; above <see cref="Count"/> if the runtime queued some
/// of its own (timers, sockets).</param>
internal sealed record RunReport(
    [property: JsonIgnore] WorkloadDescription About,
    RunSettings Settings,
    string PoolName,
    PoolLimits Pool,
    long PoolItems,
    [property: JsonIgnore] RunSummary Summary,
    string? Truth,
    [property: JsonPropertyOrder(-1)] IReadOnlyList<Figure> Figures) : IReport
{
    [JsonPropertyOrder(-2)]
    public string Workload => About.Id;

    [JsonPropertyOrder(-1)]
    public int Count => Summary.Count;

    [JsonPropertyOrder(-1)]
    public Distribution? StartLatencyMs => Summary.StartLatencyMs;

    [JsonPropertyOrder(-1)]
    public int ThreadsAtEnd => Summary.ThreadsAtEnd;

    [JsonPropertyOrder(-1)]
    public double ElapsedMs => Summary.ElapsedMs;

    public void Write(TextWriter output)
    {
        var pool = PoolName == PoolChoice.RuntimeName ? "" : $" on the pool {PoolName}";
        output.WriteLine($"{Workload}{pool}: {SizeText.Of(Settings)}");
        if (Pool.Note is not null)
        {
            output.WriteLine($"  pool           {Pool.Note}");
        }

        if (StartLatencyMs is { } latency)
        {
            output.WriteLine(
                $"  start latency  mean {Time(latency.Mean)}, p50 {Time(latency.P50)}, p99 {Time(latency.P99)}, max {Time(latency.Max)}");
        }

        output.WriteLine($"  took           {Time(ElapsedMs)}; {ThreadsAtEnd} pool threads at the end (min {Pool.MinThreads}, max {Pool.MaxThreads})");
        foreach (var figure in Figures)
        {
            output.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"  {figure.Name,-14} {figure.Value:#,0.###} {figure.Unit}"));
        }

        if (About.Published is not null)
        {
            output.WriteLine($"  published      {About.Published}");
        }

        output.WriteLine($"  expected       {string.Join("; ", About.Expected)}");
        output.WriteLine($"  truth          {Truth ?? "not written (-o PATH writes it)"}");
    }

    private static string Time(double milliseconds) =>
        milliseconds >= 1000 ? $"{milliseconds / 1000:F2} s" : $"{milliseconds:F2} ms";
}
