using System.Runtime.Versioning;
using Microsoft.Diagnostics.Tracing.Session;

namespace Poolscope.Etw.Capture;

/// <summary>An ETW session that writes to one file. This class runs on Windows only, so it is as small as possible;
/// <see cref="EtwPlan"/> lists the events.</summary>
[SupportedOSPlatform("windows")]
public sealed class EtwRecording : IDisposable
{
    /// <summary>The delay between modules and methods of a rundown, so that the runtime reports the modules
    /// first.</summary>
    private static readonly TimeSpan BetweenRundowns = TimeSpan.FromMilliseconds(500);

    /// <summary>The interval between checks of the file's size. A rundown has no end mark: it is over when the file
    /// stops growing.</summary>
    private static readonly TimeSpan RundownBeat = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan LongestRundown = TimeSpan.FromSeconds(60);

    private readonly TraceEventSession _session;
    private readonly string _path;
    private readonly int? _pid;
    private bool _stopped;

    private EtwRecording(TraceEventSession session, string path, int? pid)
    {
        (_session, _path, _pid) = (session, path, pid);
        StartNs = PerformanceCounter.NowNs;
    }

    /// <summary>The time at which every provider was enabled, ns.</summary>
    public long StartNs { get; }

    /// <summary>The size of the file so far, bytes.</summary>
    public long Bytes => new FileInfo(_path) is { Exists: true } file ? file.Length : 0;

    public int EventsLost => _session.EventsLost;

    /// <summary>Whether this process may record. ETW's kernel events require an administrator.</summary>
    public static bool IsElevated => TraceEventSession.IsElevated() == true;

    /// <summary>Starts one session for kernel and runtime events, which Windows allows since version 8.</summary>
    /// <param name="path">Path of the .etl.</param>
    /// <param name="pid">The process whose runtime events to record; null for every .NET process. Kernel events always
    /// cover the whole machine.</param>
    /// <param name="bufferMb">Size of the event buffers in the kernel, MB.</param>
    /// <param name="sockets">Whether to record TCP/IP of every process too.</param>
    /// <param name="requests">Whether to record web requests and HttpClient's calls too.</param>
    /// <exception cref="System.Runtime.InteropServices.COMException">Windows refuses the session, for example if there
    /// are too many.</exception>
    /// <exception cref="UnauthorizedAccessException">The caller is not an administrator.</exception>
    public static EtwRecording Start(string path, int? pid, int bufferMb, bool sockets, bool requests)
    {
        // The id distinguishes two recordings. A session outlives a killed collector: docs/windows.md says how to end
        // it.
        var session = new TraceEventSession($"Poolscope-{Environment.ProcessId}", path)
        {
            BufferSizeMB = bufferMb,
            CpuSampleIntervalMSec = 1,
            StackCompression = true,
            StopOnDispose = true,
        };
        try
        {
            session.EnableKernelProvider(EtwPlan.Kernel(sockets), EtwPlan.KernelStacks); // must come first
            foreach (var provider in EtwPlan.Providers(requests))
            {
                Enable(session, provider, pid);
            }

            return new EtwRecording(session, path, pid);
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>Ends the session, has the runtimes report their method names, and merges the files into one that any
    /// machine can read. Takes seconds.</summary>
    /// <param name="targetLives">Whether the target still runs. A process that has ended reports no names.</param>
    public void Stop(bool targetLives)
    {
        if (_stopped)
        {
            return;
        }

        _stopped = true;
        _session.Stop();
        if (targetLives)
        {
            Rundown();
        }

        // Merges every FILE.clr*.etl beside FILE.etl into it, and adds the loaded images.
        TraceEventSession.MergeInPlace(_path, TextWriter.Null);
    }

    public void Dispose() => _session.Dispose();

    private void Rundown()
    {
        var path = Path.ChangeExtension(_path, ".clrRundown.etl");
        using var session = new TraceEventSession($"Poolscope-{Environment.ProcessId}-rundown", path) { StopOnDispose = true };
        foreach (var provider in EtwPlan.Rundown)
        {
            Enable(session, provider, _pid);
            Thread.Sleep(BetweenRundowns);
        }

        var length = -1L;
        for (var waited = TimeSpan.Zero; waited < LongestRundown; waited += RundownBeat)
        {
            Thread.Sleep(RundownBeat);
            var now = new FileInfo(path).Length;
            if (now == length)
            {
                return;
            }

            length = now;
        }
    }

    private static void Enable(TraceEventSession session, EtwProvider provider, int? pid)
    {
        var options = new TraceEventProviderOptions();
        if (provider.StackIds.Count > 0)
        {
            options.EventIDStacksToEnable = [.. provider.StackIds];
        }

        if (pid is { } one)
        {
            options.ProcessIDFilter = [one];
        }

        session.EnableProvider(provider.Id, provider.Level, provider.Keywords, options);
    }
}
