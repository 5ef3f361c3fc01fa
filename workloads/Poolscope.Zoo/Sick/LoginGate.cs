using Zoo.Running;

namespace Portal.Login;

/// <summary>A login that calls a directory asynchronously and waits for it with Task.Wait and a time limit.</summary>
internal static class LoginGate
{
    public static void Run(Stage stage)
    {
        var directory = new HttpClient { BaseAddress = new Uri(Child.Remote(stage, delayMs: 600)) };
        var app = Site.NewBuilder().Build();
        if (stage.Fixed)
        {
            app.MapGet("/login/{user}", (string user) => Login.CheckAsync(directory, user));
        }
        else
        {
            app.MapGet("/login/{user}", (string user) => Login.Check(directory, user));
        }

        app.Serve(stage, "/login/ann@1@0@2", "/login/ben@40@2@end");
    }
}

internal static class Login
{
    public static string Check(HttpClient directory, string user)
    {
        var asked = AskAsync(directory, user);
        return asked.Wait(5000) ? asked.Result : "try again later";
    }

    public static async Task<string> CheckAsync(HttpClient directory, string user)
    {
        try
        {
            return await AskAsync(directory, user).WaitAsync(TimeSpan.FromSeconds(5));
        }
        catch (TimeoutException)
        {
            return "try again later";
        }
    }

    private static async Task<string> AskAsync(HttpClient directory, string user)
    {
        var groups = await directory.GetStringAsync($"groups/{user}");
        return $"{user}: {groups.Length}";
    }
}
