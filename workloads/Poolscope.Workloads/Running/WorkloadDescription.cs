namespace Poolscope.Workloads.Running;

/// <summary>The facts about an experiment that are known before anything runs.</summary>
/// <param name="Id">Name on the command line.</param>
/// <param name="Title">One line.</param>
/// <param name="Published">The published figure in words; null if the experiment is this project's own.</param>
/// <param name="Source">The publication; null as above.</param>
/// <param name="Expected">The verdicts that the analysis must give, fixed beforehand. At least one.</param>
/// <param name="Knobs">The options that apply.</param>
public sealed record WorkloadDescription(
    string Id,
    string Title,
    string? Published,
    string? Source,
    IReadOnlyList<ExpectedVerdict> Expected,
    Knobs Knobs)
{
    /// <summary>The variants, in words; empty if there is only one.</summary>
    public IReadOnlyList<string> Legs { get; init; } = [];
}

/// <summary>An expected verdict.</summary>
/// <param name="When">The variant that it applies to, such as "client socket"; empty for all.</param>
/// <param name="Verdicts">Ids of the analysis' rules and verdicts.</param>
/// <param name="AnyOf">True if one of them is enough; false if all of them must be found.</param>
public sealed record ExpectedVerdict(string When, IReadOnlyList<string> Verdicts, bool AnyOf = false)
{
    public override string ToString()
    {
        var verdicts = string.Join(AnyOf ? " or " : " and ", Verdicts);
        return When.Length == 0 ? verdicts : $"{verdicts} ({When})";
    }
}

/// <summary>Options of `run` that may apply to a workload.</summary>
[Flags]
public enum Knobs
{
    None = 0,
    Count = 1,
    Interval = 2,
    Work = 4,
    MinThreads = 8,
    MaxThreads = 16,
    Client = 32,
    Guard = 64,
    Rate = 128,
    Leg = 256,

    /// <summary>The options that apply to every workload that queues items to a pool of variable size.</summary>
    Items = Count | Interval | Work | MinThreads | MaxThreads,
}
