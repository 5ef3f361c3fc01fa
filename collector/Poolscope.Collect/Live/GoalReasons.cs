namespace Poolscope.Collect.Live;

/// <summary>The reasons why a pool changes its goal, the number of threads that it wants.</summary>
public static class GoalReasons
{
    /// <summary>The runtime's names, in the order of its numbers: pool_changes.reason of traces/schema.json.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        "Warmup", "Initializing", "RandomMove", "ClimbingMove", "ChangePoint", "Stabilizing", "Starvation", "ThreadTimedOut", "CooperativeBlocking",
    ];

    /// <param name="number">The number in the runtime's event.</param>
    /// <returns>The name, or null for an unknown number.</returns>
    public static string? Name(int number) => number >= 0 && number < All.Count ? All[number] : null;

    /// <summary>Returns the reason in words for the user.</summary>
    public static string Words(string reason) => reason switch
    {
        "Warmup" => "hill climbing warms up",
        "Initializing" => "hill climbing begins",
        "RandomMove" => "hill climbing tries",
        "ClimbingMove" => "hill climbing",
        "ChangePoint" => "throughput changed",
        "Stabilizing" => "hill climbing settles",
        "Starvation" => "starvation",
        "ThreadTimedOut" => "an idle thread ended",
        "CooperativeBlocking" => "a worker blocks on a task",
        _ => reason,
    };
}
