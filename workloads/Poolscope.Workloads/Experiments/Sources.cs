namespace Poolscope.Workloads.Experiments;

/// <summary>The publications of the experiments.</summary>
internal static class Sources
{
    public const string LargeQueue = "R. Chen: A large queue of long-running work items";
    public const string BehindTheScenes = "M. Clifton: .NET's ThreadPool class - behind the scenes (2003)";
    public const string WorkerThreads = "C. Fu: .NET thread-pool threads and CLR worker threads (2016)";
    public const string Oversubscribe = "RunTasks: Oversubscribe now!";
    public const string BackoffIn35 = "M. Kennedy: .NET 3.5 brings major (undocumented) changes to ThreadPool (2008)";
}
