namespace Poolscope.Workloads.Running;

/// <summary>A figure that an experiment measured itself.</summary>
/// <param name="Name">Name in lower case; the key in the JSON report.</param>
/// <param name="Unit">The unit of <paramref name="Value"/>: ms, increments, threads.</param>
public sealed record Figure(string Name, double Value, string Unit);
