using Zoo.Running;

namespace Erp.Import;

/// <summary>Every import queues its work and polls for it with Thread.Sleep(10). The work is queued behind the other
/// imports and can never run.</summary>
internal static class ImportPoller
{
    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var n = 0; n < 200; n++)
        {
            var file = n;
            ThreadPool.QueueUserWorkItem(_ => Import(file));
        }

        stage.Pace(20, n => ThreadPool.QueueUserWorkItem(_ => Import(n)));
    }

    private static void Import(int file)
    {
        var done = false;
        ThreadPool.QueueUserWorkItem(_ =>
        {
            Parse(file);
            Volatile.Write(ref done, true);
        });
        while (!Volatile.Read(ref done))
        {
            Thread.Sleep(10);
        }
    }

    private static void Parse(int file) => Thread.SpinWait(1000 + file % 5);
}
