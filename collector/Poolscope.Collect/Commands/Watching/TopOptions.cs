namespace Poolscope.Collect.Commands.Watching;

/// <summary>What <c>top</c> was asked for. One of process id and name is set.</summary>
public sealed record TopOptions
{
    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    /// <summary>How long to look; null: until a signal, q, or the end of the process.</summary>
    public TimeSpan? Duration { get; init; }

    public bool Json { get; init; }
}
