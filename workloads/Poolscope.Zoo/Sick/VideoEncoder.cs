using Zoo.Running;

namespace Media.Video;

/// <summary>Needs more cores than the machine has: 30 ms a frame, 50 frames a second per core.</summary>
internal static class VideoEncoder
{
    private const double FrameMs = 30;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(50 * Environment.ProcessorCount, n => ThreadPool.QueueUserWorkItem(_ => EncodeFrame(n)));
    }

    private static void EncodeFrame(int frame)
    {
        var until = ThreadClock.NowMs + FrameMs;
        var block = (uint)frame;
        while (ThreadClock.NowMs < until)
        {
            for (var i = 0; i < 20_000; i++)
            {
                block = block * 1664525 + 1013904223;
            }
        }

        GC.KeepAlive(block);
    }
}
