using Zoo.Running;

namespace Factory.Robots;

/// <summary>Each command waits 900 ms for the arm with SpinWait.SpinUntil, which holds a pool thread.</summary>
internal static class RobotControl
{
    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(15, _ => ThreadPool.QueueUserWorkItem(
            stage.Fixed ? ItemClock.Timed(MoveAsync) : ItemClock.Timed(Move)));
    }

    private static async Task MoveAsync()
    {
        var there = DateTime.UtcNow.AddMilliseconds(900);
        var late = there.AddMilliseconds(4100);
        while (DateTime.UtcNow < there)
        {
            if (DateTime.UtcNow >= late)
            {
                Console.Error.WriteLine("the arm is stuck");
                return;
            }

            await Task.Delay(5);
        }
    }

    private static void Move()
    {
        var there = DateTime.UtcNow.AddMilliseconds(900);
        if (!SpinWait.SpinUntil(() => DateTime.UtcNow >= there, 5000))
        {
            Console.Error.WriteLine("the arm is stuck");
        }
    }
}
