namespace Poolscope.Collect.Commands.Looking;

/// <summary>The options of <c>look</c>. Exactly one of process id, name and dump is set.</summary>
public sealed record LookOptions
{
    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    /// <summary>Gets the path of a core dump.</summary>
    public string? Dump { get; init; }

    public bool Json { get; init; }

    /// <summary>Gets the library that reads the memory of the target's runtime, or null to search for it.</summary>
    public string? Dac { get; init; }
}
