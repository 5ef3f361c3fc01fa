using Zoo.Running;

namespace Bank.Journal;

/// <summary>Writers take turns on a ConcurrentExclusiveSchedulerPair. They queue there and hold no thread.</summary>
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
