using Zoo.Running;

namespace Photos.Upload;

/// <summary>An album queues its pictures from a pool thread, into that thread's own queue, and then holds the thread.
/// Other threads take from the common queue first, where a steady stream keeps them: the pictures starve.</summary>
internal static class BulkUpload
{
    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        ThreadPool.QueueUserWorkItem(_ => StoreAlbum());
        stage.Pace(25, n => ThreadPool.QueueUserWorkItem(_ => StoreSingle(n)));
    }

    private static void StoreAlbum()
    {
        for (var i = 0; i < 300; i++)
        {
            var picture = i;
            ThreadPool.QueueUserWorkItem<object?>(_ => Thread.SpinWait(500 + picture), null, preferLocal: true);
        }

        for (var page = 0; page < 60; page++)
        {
            LegacyStore.Put($"album-{page}");
        }
    }

    private static void StoreSingle(int picture) => LegacyStore.Put($"single-{picture}");
}

internal static class LegacyStore
{
    /// <summary>A driver without an async method.</summary>
    public static void Put(string key)
    {
        for (var attempt = 1; attempt <= 3; attempt++)
        {
            try
            {
                Thread.Sleep(120 + key.Length);
                return;
            }
            catch (ThreadInterruptedException) when (attempt < 3)
            {
                Console.Error.WriteLine($"{key}: attempt {attempt} failed");
            }
        }
    }
}
