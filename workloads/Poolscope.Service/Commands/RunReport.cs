using System.Text.Json.Serialization;
using Poolscope.Service.Load;
using Poolscope.Workloads.Commands;
using Poolscope.Workloads.Pools;

namespace Poolscope.Service.Commands;

/// <summary>The output of `run`.</summary>
/// <param name="Pool">The limits that the run set or found.</param>
/// <param name="ThreadsAtEnd">Worker threads of the service's pool after the load.</param>
/// <param name="PoolItems">Items that the pool had completed by then; each request takes several.</param>
internal sealed record RunReport(
    [property: JsonIgnore] ServiceSettings Settings,
    [property: JsonIgnore] LoadSettings Sent,
    PoolLimits Pool,
    int ThreadsAtEnd,
    long PoolItems,
    LoadReport Load) : IReport
{
    /// <summary>The bundled program that wrote the report, under the same key as in a workload's report.</summary>
    [JsonPropertyOrder(-1)]
    public string Workload { get; } = "service";

    [JsonPropertyOrder(-1)]
    public string Fault => Settings.Fault.Name;

    [JsonPropertyOrder(-1)]
    public string Endpoint => Settings.Fault.Path;

    [JsonPropertyOrder(-1)]
    public int DbMs => Settings.DbMs;

    [JsonPropertyOrder(-1)]
    public LoadSettings Arrivals => Sent;

    public void Write(TextWriter output)
    {
        output.WriteLine($"{Fault}: {Endpoint}, queries of {DbMs} ms");
        if (Pool.Note is not null)
        {
            output.WriteLine($"  pool           {Pool.Note}");
        }

        Load.Write(output);
        output.WriteLine($"  service        {ThreadsAtEnd} pool threads at the end (min {Pool.MinThreads}, max {Pool.MaxThreads}); {PoolItems:N0} pool items");
    }
}
