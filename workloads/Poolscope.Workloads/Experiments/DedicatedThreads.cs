namespace Poolscope.Workloads.Experiments;

/// <summary>Ways to start an item on a thread of its own.</summary>
internal static class DedicatedThreads
{
    public static void StartTask(Action<int> item, int number) => Task.Factory.StartNew(
        () => item(number), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public static void StartThread(Action<int> item, int number) =>
        new Thread(() => item(number)) { IsBackground = true }.Start();
}
