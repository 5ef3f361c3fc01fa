namespace Poolscope.Collect.Commands.Watching;

/// <summary>The options of <c>top</c>. Exactly one of process id and name is set.</summary>
public sealed record TopOptions
{
    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    /// <summary>The time to run, or null to run until a signal, q, or the end of the process.</summary>
    public TimeSpan? Duration { get; init; }

    public bool Json { get; init; }
}
