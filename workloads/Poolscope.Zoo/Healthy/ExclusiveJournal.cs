using Zoo.Running;

namespace Bank.Journal;

/// <summary>Writers one after another with a ConcurrentExclusiveSchedulerPair: they queue there, and hold no thread meanwhile.</summary>
internal static class ExclusiveJournal
{
    private static double _balance;

    public static void Run(Stage stage)
    {
        var writers = new TaskFactory(new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler);
        stage.Pace(60, entry => writers.StartNew(() => Write(entry)));
    }

    private static void Write(int entry)
    {
        for (var i = 0; i < 200_000; i++)
        {
            _balance += Math.Sin(entry + i);
        }
    }
}
