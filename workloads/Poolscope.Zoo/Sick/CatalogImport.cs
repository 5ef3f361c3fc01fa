using Zoo.Running;

namespace Photos.Catalog;

/// <summary>Starts a Task.Run for each of 300 pictures every two seconds, with 15 ms of computing each. Two cores need
/// more than two seconds for it.</summary>
internal static class CatalogImport
{
    private static double _hash;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(0.5, _ =>
        {
            for (var picture = 0; picture < 300; picture++)
            {
                var number = picture;
                Task.Run(() => Volatile.Write(ref _hash, Hash(number)));
            }
        });
    }

    private static double Hash(int picture)
    {
        var until = ThreadClock.NowMs + 15;
        var sum = 0.0;
        while (ThreadClock.NowMs < until)
        {
            for (var i = 1; i < 1000; i++)
            {
                sum += Math.Sqrt(picture + i);
            }
        }

        return sum;
    }
}
