using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Zoo.Running;

/// <summary>
/// A service that speaks only HTTP/2, in a process of its own: <c>zoo streams SECONDS DELAY LIMIT</c>. It writes its
/// address, takes LIMIT requests at a time on a connection, and answers each after DELAY ms.
/// </summary>
internal static class StreamServer
{
    /// <summary>Starts the service and returns its address.</summary>
    public static Uri Start(Stage stage, int delayMs, int limit)
    {
        var child = Child.Start("streams", Spoken.Of(stage.Seconds - stage.Now + 5), Spoken.Of(delayMs), Spoken.Of(limit));
        return new Uri(child.StandardOutput.ReadLine()!);
    }

    /// <summary>Listens until the time is over.</summary>
    public static int Run(double seconds, int delayMs, int limit)
    {
        var builder = Site.NewBuilder();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.ConfigureEndpointDefaults(endpoint => endpoint.Protocols = HttpProtocols.Http2);
            kestrel.Limits.Http2.MaxStreamsPerConnection = limit;
        });
        var app = builder.Build();
        app.MapGet("/{**path}", async () =>
        {
            await Task.Delay(delayMs);
            return "42";
        });
        app.Start();
        Console.WriteLine(app.Urls.First());
        Thread.Sleep(TimeSpan.FromSeconds(seconds));
        return 0;
    }
}
