using System.Diagnostics;
using System.Diagnostics.Tracing;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Decode.Events;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Runtime;
using Poolscope.Decode.Tests.Captures;

namespace Poolscope.Decode.Tests.Live;

/// <summary>A capture folder with a real runtime stream of this process, with the events that the collector
/// requests.</summary>
internal sealed class OwnCapture : IDisposable
{
    // If tasks carry on a request or a call, its begin and end have one activity.
    private static readonly EventPipeProvider[] RequestProviders =
    [
        new("System.Threading.Tasks.TplEventSource", EventLevel.Informational, 0xC2),
        new("Microsoft.AspNetCore.Hosting", EventLevel.Informational),
        new("System.Net.Http", EventLevel.Informational),
    ];

    private static readonly EventPipeProvider[] Providers =
    [
        new("Microsoft-Windows-DotNETRuntime", EventLevel.Verbose, 0x40080014001),
        new("System.Diagnostics.Eventing.FrameworkEventSource", EventLevel.Verbose, 0x12),
        new("System.Threading.Tasks.TplEventSource", EventLevel.Informational, 0x42),
    ];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-live");

    /// <summary>Records while the work runs, and until everything that it queued has been reported.</summary>
    /// <param name="bufferMb">Size of the buffer, MB. A small one loses events.</param>
    /// <param name="requests">Whether to record requests and calls too.</param>
    public OwnCapture(Action work, int bufferMb = 256, bool requests = false)
    {
        var start = Now();
        var configuration = new EventPipeSessionConfiguration(
            requests ? Providers.UnionBy(RequestProviders, p => p.Name).Select(p => RequestProviders.FirstOrDefault(r => r.Name == p.Name) ?? p) : Providers,
            circularBufferSizeMB: bufferMb, requestRundown: false, requestStackwalk: false);
        using (var session = new DiagnosticsClient(Environment.ProcessId).StartEventPipeSession(configuration))
        {
            // Not on the pool, because the pool is being recorded.
            var writer = new Thread(() =>
            {
                using var file = File.Create(RuntimeFile);
                session.EventStream.CopyTo(file);
            });
            writer.Start();
            LetPoolNotice();
            Start = Now();
            work();
            End = Now();
            session.Stop();
            writer.Join();
        }

        Manifests.Of(CaptureStatus.Complete, new StreamInfo("runtime.nettrace", "eventpipe", start, Now(), 0)).Save(Folder);
    }

    /// <summary>CLOCK_MONOTONIC right before the work, and in <c>End</c> right after it, ns.</summary>
    public long Start { get; }

    public long End { get; }

    public string Folder => _folder.FullName;

    public string RuntimeFile => Path.Combine(Folder, "runtime.nettrace");

    public void Dispose() => _folder.Delete(recursive: true);

    /// <summary>Returns the tables before they are written.</summary>
    public RuntimeTables ReadTables()
    {
        var tables = new RuntimeTables();
        NettraceReader.Read(RuntimeFile, StreamBounds.None, new EventDecoder(tables).Decode);
        tables.Finish(Manifests.Target(launched: false), Start, (_, _) => -1, running: null);
        return tables;
    }

    /// <summary>Waits until the pool notices the session. It checks for listeners when a worker begins to dispatch, not
    /// at each enqueue, so items queued between the session's start and the next dispatch are not reported.</summary>
    private static void LetPoolNotice()
    {
        using var ran = new ManualResetEventSlim();
        ThreadPool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
        ran.Wait();
    }

    private static long Now() => (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
}
