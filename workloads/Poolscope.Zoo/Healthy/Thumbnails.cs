using Zoo.Running;

namespace Media.Thumbnails;

/// <summary>Computes 60 % of two cores, in pieces of 2 ms.</summary>
internal static class Thumbnails
{
    private const double PieceMs = 2;

    public static void Run(Stage stage) =>
        stage.Pace(300 * Environment.ProcessorCount, n => ThreadPool.QueueUserWorkItem(Shrink, n, preferLocal: false));

    private static void Shrink(int picture)
    {
        var until = ThreadClock.NowMs + PieceMs;
        var pixel = (uint)picture;
        while (ThreadClock.NowMs < until)
        {
            for (var i = 0; i < 2000; i++)
            {
                pixel = pixel * 1664525 + 1013904223;
            }
        }

        GC.KeepAlive(pixel);
    }
}
