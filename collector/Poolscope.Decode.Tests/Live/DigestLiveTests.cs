using System.Diagnostics.Tracing;
using System.Net;
using Microsoft.Diagnostics.Tracing.Etlx;
using Poolscope.Decode.Manifest;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>Requests and calls of this process, as nettrace and as the .etlx that TraceEvent makes from it. Only the
/// activity in the event's header identifies their ends.</summary>
[Collection(nameof(LiveTests))]
[Trait("live", "yes")]
public sealed class DigestLiveTests
{
    private const int Count = 23;

    [Fact]
    public void Requests_and_calls_of_an_etlx_are_those_of_the_nettrace_file()
    {
        using var capture = new OwnCapture(Serve, requests: true);
        var manifest = CaptureManifest.Load(capture.Folder);
        var (requests, calls) = Read(capture.Folder);

        TraceLog.CreateFromEventPipeDataFile(
            capture.RuntimeFile, Path.Combine(capture.Folder, "kernel.etlx"), new TraceLogOptions { KeepAllEvents = true });
        File.Delete(capture.RuntimeFile);
        (manifest with { Streams = [.. manifest.Streams.Select(s => s with { File = "kernel.etlx", Tier = "etw" })] }).Save(capture.Folder);
        var (digested, digestedCalls) = Read(capture.Folder);

        Assert.Equal(TableRows.Of(requests), TableRows.Of(digested));
        Assert.Equal(TableRows.Of(calls), TableRows.Of(digestedCalls));
        Assert.Equal((Count, Count), (digested.Count, digestedCalls.Count));
        Assert.All(Enumerable.Range(0, Count), row =>
        {
            Assert.InRange(digested.Int64("handler_end")[row], digested.Int64("handler_start")[row], capture.End);
            Assert.InRange(digestedCalls.Int64("end")[row], digestedCalls.Int64("sent")[row], capture.End);
            Assert.InRange(digestedCalls.Int64("sent")[row], capture.Start, capture.End); // by the activity that its own began in
        });
    }

    private static (Table Requests, Table Calls) Read(string folder)
    {
        var tables = CaptureDecoder.Read(folder, progress: null, TestContext.Current.CancellationToken).Tables;
        return (tables.Single(t => t.Schema.Name == "requests"), tables.Single(t => t.Schema.Name == "calls"));
    }

    /// <summary>Makes calls that are requests to the same process.</summary>
    private static void Serve()
    {
        using var listener = new HttpListener();
        var address = $"http://127.0.0.1:{FreePort()}/";
        listener.Prefixes.Add(address);
        listener.Start();
        using var host = new Host();
        using var client = new HttpClient();
        var serving = Task.Run(async () =>
        {
            for (var i = 0; i < Count; i++)
            {
                var context = await listener.GetContextAsync();
                host.RequestStart(context.Request.HttpMethod, context.Request.Url!.AbsolutePath);
                await Task.Delay(2);
                host.RequestStop();
                context.Response.Close();
            }
        });
        for (var i = 0; i < Count; i++)
        {
            client.GetStringAsync(new Uri($"{address}orders/{i}"), CancellationToken.None).Wait();
        }

        serving.Wait();
    }

    private static int FreePort()
    {
        using var probe = new System.Net.Sockets.TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }

    /// <summary>Writes the events of ASP.NET Core's host, which this process does not have.</summary>
    [EventSource(Name = "Microsoft.AspNetCore.Hosting")]
    private sealed class Host : EventSource
    {
        [Event(3, Level = EventLevel.Informational)]
        public void RequestStart(string method, string path) => WriteEvent(3, method, path);

        [Event(4, Level = EventLevel.Informational)]
        public void RequestStop() => WriteEvent(4);
    }
}
