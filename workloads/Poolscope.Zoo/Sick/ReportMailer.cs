using Zoo.Running;

namespace Office.Mailer;

/// <summary>Parallel.ForEach over addresses, with `.Result` of an HTTP call in its body, beside small items.</summary>
internal static class ReportMailer
{
    private static int _sent;

    public static void Run(Stage stage)
    {
        var http = new HttpClient { BaseAddress = new Uri(Child.Remote(stage, delayMs: 500)) };
        stage.AwaitOnset();
        for (var list = 0; list < 8; list++)
        {
            Task.Run(() => Parallel.ForEach(Enumerable.Range(0, 200), address => Send(http, address)));
        }

        stage.Pace(25, _ => ThreadPool.QueueUserWorkItem(_ => Interlocked.Increment(ref _sent)));
    }

    private static void Send(HttpClient http, int address)
    {
        var answer = http.GetStringAsync($"send/{address}").Result;
        Interlocked.Add(ref _sent, answer.Length);
    }
}
