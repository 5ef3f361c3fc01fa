namespace Zoo.Running;

/// <summary>The common start of all web programs.</summary>
internal static class Site
{
    /// <summary>Creates a builder that listens on a free loopback port and logs only warnings.</summary>
    public static WebApplicationBuilder NewBuilder()
    {
        var builder = WebApplication.CreateBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        return builder;
    }

    /// <summary>Creates a host without a web server.</summary>
    public static HostApplicationBuilder NewHost()
    {
        var builder = Host.CreateApplicationBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        return builder;
    }

    /// <summary>Starts the server and its clients. Returns at once.</summary>
    public static void Serve(this WebApplication app, Stage stage, params string[] phases)
    {
        app.Start();
        Child.Clients(stage, app.Urls.First(), phases);
    }
}
