using Zoo.Running;

namespace Staff.Payroll;

/// <summary>Each department queues its employees and waits for them with CountdownEvent.Wait on a pool thread. The
/// employees are queued behind the other departments.</summary>
internal static class PayrollRun
{
    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var department = 0; department < 60; department++)
        {
            var number = department;
            ThreadPool.QueueUserWorkItem(_ => Pay(number));
        }

        stage.Pace(10, n => ThreadPool.QueueUserWorkItem(_ => Pay(n)));
    }

    private static void Pay(int department)
    {
        using var open = new CountdownEvent(5);
        for (var employee = 0; employee < 5; employee++)
        {
            ThreadPool.QueueUserWorkItem(_ =>
            {
                Thread.SpinWait(500 + department % 3);
                open.Signal();
            });
        }

        open.Wait();
    }
}
