using Zoo.Running;

namespace Mail.Gateway;

/// <summary>A thread for each message, as in old programs: the pool has nothing to do.</summary>
internal static class MailGateway
{
    public static void Run(Stage stage) => stage.Pace(40, n => new Thread(() => Deliver(n)) { IsBackground = true }.Start());

    private static void Deliver(int message)
    {
        Thread.Sleep(150 + message % 50);
    }
}
