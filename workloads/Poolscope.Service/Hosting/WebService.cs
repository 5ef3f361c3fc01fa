using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Poolscope.Service.Background;
using Poolscope.Service.Database;
using Poolscope.Service.Faults;

namespace Poolscope.Service.Hosting;

/// <summary>The service: Kestrel on a loopback port that the system chooses, the endpoints, and the background
/// work.</summary>
public sealed class WebService : IDisposable
{
    // In a starved pool, requests do not end in any time that a person would wait for.
    private static readonly TimeSpan TimeToStop = TimeSpan.FromSeconds(1);

    // Shorter than a refresh, so that most requests find the cache too old or being refreshed.
    private const double CacheLifetimeOfQuery = 0.5;

    private readonly WebApplication _app;
    private readonly IDisposable _background;

    private WebService(WebApplication app, IDisposable background)
    {
        _app = app;
        _background = background;
        var addresses = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!;
        Address = new Uri(addresses.Addresses.Single());
    }

    public Uri Address { get; }

    /// <summary>Starts the service. Returns when it listens.</summary>
    /// <param name="queryTime">Duration of a database query.</param>
    /// <param name="http2">Whether the service speaks only HTTP/2.</param>
    /// <param name="https">Whether to use TLS.</param>
    /// <exception cref="IOException">The service cannot listen.</exception>
    public static WebService Start(Fault fault, EndPoint database, TimeSpan queryTime, bool http2 = false, bool https = false)
    {
        // The empty builder reads neither the environment nor an appsettings.json of the current folder, and logs
        // nothing.
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
        {
            listen.Protocols = http2 ? HttpProtocols.Http2 : HttpProtocols.Http1;
            if (https)
            {
                listen.UseHttps(OwnCertificate.Create());
            }
        }));
        builder.Services.AddRoutingCore();
        builder.Services.AddSingleton<IHostLifetime, NoSignals>();
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = TimeToStop);

        var app = builder.Build();
        var client = new DatabaseClient(database);
        var endpoints = new Endpoints(client, new PriceCache(client, queryTime * CacheLifetimeOfQuery));
        app.MapGet(Paths.Sync + Paths.AnyNumber, endpoints.Sync);
        app.MapGet(Paths.SyncOverAsync + Paths.AnyNumber, endpoints.SyncOverAsync);
        app.MapGet(Paths.Async + Paths.AnyNumber, endpoints.AwaitAsync);
        app.MapGet(Paths.Cached + Paths.AnyNumber, endpoints.Cached);
        app.MapGet(Paths.Plain + Paths.AnyNumber, Endpoints.Plain);
        app.StartAsync().GetAwaiter().GetResult();
        IDisposable background = fault switch
        {
            Fault.Timer => new OverlappingTimer(client),
            Fault.Gc => new HeapCollector(),
            _ => new RefreshTimer(client),
        };
        return new WebService(app, background);
    }

    /// <summary>Stops listening and gives running requests one second.</summary>
    public void Dispose()
    {
        _background.Dispose();

        // Not awaited to its end, which in a starved pool would take as long as the queue.
        _app.StopAsync().Wait(2 * TimeToStop);
    }

    /// <summary>Leaves Ctrl-C and SIGTERM to the commands, which have children to end.</summary>
    private sealed class NoSignals : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
