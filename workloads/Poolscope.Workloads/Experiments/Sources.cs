namespace Poolscope.Workloads.Experiments;

/// <summary>Where experiments were published.</summary>
internal static class Sources
{
    public const string LargeQueue = "R. Chen: A large queue of long-running work items";
}
