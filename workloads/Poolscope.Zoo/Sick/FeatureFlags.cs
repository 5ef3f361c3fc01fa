using Zoo.Running;

namespace Platform.Flags;

/// <summary>Readers of a ReaderWriterLockSlim wait for a writer that reloads for two seconds at a time.</summary>
internal static class FeatureFlags
{
    private static readonly ReaderWriterLockSlim Gate = new();
    private static readonly Dictionary<string, bool> Flags = new() { ["beta"] = true };

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        new Thread(() => Reload(stage)) { IsBackground = true, Name = "flag reload" }.Start();
        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => IsOn(n)));
    }

    private static void Reload(Stage stage)
    {
        while (stage.Now < stage.Seconds)
        {
            Gate.EnterWriteLock();
            try
            {
                Thread.Sleep(2000);
                Flags["beta"] = !Flags["beta"];
            }
            finally
            {
                Gate.ExitWriteLock();
            }

            Thread.Sleep(20);
        }
    }

    private static bool IsOn(int user)
    {
        Gate.EnterReadLock();
        try
        {
            return Flags["beta"] && user >= 0;
        }
        finally
        {
            Gate.ExitReadLock();
        }
    }
}
