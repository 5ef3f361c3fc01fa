using Zoo.Running;

namespace Web.Sessions;

/// <summary>A cache whose heap is fully collected once a second, with pauses of some 30 ms.</summary>
internal static class SessionCache
{
    private static readonly Dictionary<int, Session> Sessions = [];

    public static void Run(Stage stage)
    {
        for (var i = 0; i < 90_000; i++)
        {
            Sessions[i] = new Session($"user{i}", new object[] { new(), new() });
        }

        stage.Pace(100, n =>
        {
            if (n % 100 == 99)
            {
                GC.Collect(2, GCCollectionMode.Forced, blocking: true);
            }

            ThreadPool.QueueUserWorkItem(Touch, n, preferLocal: false);
        });
    }

    private static void Touch(int user)
    {
        var session = Sessions[user];
        var copy = new List<string>();
        for (var i = 0; i < 200; i++)
        {
            copy.Add(session.User + i);
        }

        GC.KeepAlive(copy);
    }

    private sealed record Session(string User, object[] Basket);
}
