using Zoo.Running;

namespace Factory.Robots;

/// <summary>Each command waits with SpinWait.SpinUntil for the arm, which takes 900 ms: it yields and sleeps, and holds a pool thread.</summary>
internal static class RobotControl
{
    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(15, _ => ThreadPool.QueueUserWorkItem(ItemClock.Timed(Move)));
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
