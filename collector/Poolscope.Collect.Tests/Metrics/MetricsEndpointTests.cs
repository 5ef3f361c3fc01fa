using System.Net;
using System.Net.Sockets;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Live;
using Poolscope.Collect.Metrics;
using Poolscope.Collect.Tests.Live;
using Xunit;

namespace Poolscope.Collect.Tests.Metrics;

public sealed class MetricsEndpointTests
{
    [Theory]
    [InlineData("9464", "http://127.0.0.1:9464/metrics")]
    [InlineData("localhost:9464", "http://127.0.0.1:9464/metrics")]
    [InlineData("127.0.0.1:9464", "http://127.0.0.1:9464/metrics")]
    [InlineData("10.1.2.3:80", "http://10.1.2.3:80/metrics")]
    [InlineData("0.0.0.0:9464", "http://0.0.0.0:9464/metrics")]
    [InlineData("[::1]:9464", "http://[::1]:9464/metrics")]
    public void An_address_is_understood(string text, string url) => Assert.Equal(url, MetricsAddress.Parse(text)!.Url);

    [Theory]
    [InlineData("")]
    [InlineData("0")]
    [InlineData("65536")]
    [InlineData("-1")]
    [InlineData(":9464")]
    [InlineData("*:9464")]
    [InlineData("host:9464")]
    [InlineData("1:9464")]
    [InlineData("127.0.0.1")]
    [InlineData("127.0.0.1:")]
    [InlineData("::1:9464")]
    [InlineData("[::]:9464")]
    [InlineData("http://127.0.0.1:9464")]
    public void What_is_none_is_refused(string text) => Assert.Null(MetricsAddress.Parse(text));

    [Fact]
    public async Task It_serves_the_latest_state_and_nothing_else()
    {
        var (board, port) = (new StateBoard(), FreePort());
        await using var endpoint = MetricsEndpoint.Start(new MetricsAddress(IPAddress.Loopback, port), board);
        Assert.Equal((HttpStatusCode.OK, "text/plain", ""), await GetAsync(port));
        board.Post(PoolStates.Starved);
        Assert.Contains("dotnet_thread_pool_queue_length 1234\n", (await GetAsync(port)).Text, StringComparison.Ordinal);
        board.Post(PoolStates.Starved with { Queue = 5 });
        var open = await GetAsync(port, accept: "application/openmetrics-text");
        Assert.Equal("application/openmetrics-text", open.Type);
        Assert.Contains("dotnet_thread_pool_queue_length 5.0\n", open.Text, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await GetAsync(port, path: "/")).Code);
        Assert.Equal(HttpStatusCode.NotFound, (await GetAsync(port, host: "evil.example")).Code);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, (await GetAsync(port, method: HttpMethod.Post)).Code);
    }

    [Fact]
    public async Task It_ends_at_once_with_and_without_a_request_and_the_port_is_free_again()
    {
        var address = new MetricsAddress(IPAddress.Loopback, FreePort());
        for (var i = 0; i < 4; i++)
        {
            var endpoint = MetricsEndpoint.Start(address, new StateBoard());
            if (i % 2 == 1)
            {
                await GetAsync(address.Port);
            }

            await endpoint.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task A_client_that_says_nothing_keeps_nobody_waiting()
    {
        var (board, port) = (new StateBoard(), FreePort());
        await using var endpoint = MetricsEndpoint.Start(new MetricsAddress(IPAddress.Loopback, port), board);
        using var silent = new TcpClient();
        await silent.ConnectAsync(IPAddress.Loopback, port, TestContext.Current.CancellationToken);
        await silent.GetStream().WriteAsync("GET /met"u8.ToArray(), TestContext.Current.CancellationToken);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(port)).Code);
    }

    [Fact]
    public void A_port_in_use_and_a_foreign_address_are_the_users_mistake()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port;
        var used = Assert.Throws<CommandException>(() => MetricsEndpoint.Start(new MetricsAddress(IPAddress.Loopback, port), new StateBoard()));
        Assert.Equal(ExitCode.Usage, used.ExitCode);
        Assert.Equal($"--metrics: http://127.0.0.1:{port}/metrics cannot be served: Address already in use; choose another port or address", used.Message);

        var foreign = Assert.Throws<CommandException>(() => MetricsEndpoint.Start(new MetricsAddress(IPAddress.Parse("192.0.2.1"), 9464), new StateBoard()));
        Assert.Equal(ExitCode.Usage, foreign.ExitCode);
    }

    internal static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private static async Task<(HttpStatusCode Code, string? Type, string Text)> GetAsync(
        int port, string path = "/metrics", string? accept = null, string? host = null, HttpMethod? method = null)
    {
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(method ?? HttpMethod.Get, $"http://127.0.0.1:{port}{path}");
        request.Headers.Host = host;
        if (accept is not null)
        {
            request.Headers.Accept.ParseAdd(accept);
        }

        using var response = await client.SendAsync(request, TestContext.Current.CancellationToken);
        return (response.StatusCode, response.Content.Headers.ContentType?.MediaType, await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken));
    }
}
