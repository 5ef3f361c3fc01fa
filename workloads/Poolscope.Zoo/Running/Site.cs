namespace Zoo.Running;

/// <summary>What every web program begins and ends with.</summary>
internal static class Site
{
    /// <summary>Makes a builder that listens on a free port of the loopback and logs warnings only.</summary>
    public static WebApplicationBuilder NewBuilder()
    {
        var builder = WebApplication.CreateBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        return builder;
    }

    /// <summary>Makes a host without a web server.</summary>
    public static HostApplicationBuilder NewHost()
    {
        var builder = Host.CreateApplicationBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        return builder;
    }

    /// <summary>Starts listening, and the clients. Returns at once.</summary>
    public static void Serve(this WebApplication app, Stage stage, params string[] phases)
    {
        app.Start();
        Child.Clients(stage, app.Urls.First(), phases);
    }
}
