using System.Runtime.Versioning;
using Microsoft.Diagnostics.Tracing.Session;

namespace Poolscope.Etw.Capture;

/// <summary>A session of ETW on its way into one file. Only Windows can run what is in here, so there is as little of it as
/// can be; what it asks for stands in <see cref="EtwPlan"/>.</summary>
[SupportedOSPlatform("windows")]
public sealed class EtwRecording : IDisposable
{
    /// <summary>Between modules and methods of a rundown, so that the modules are told first.</summary>
    private static readonly TimeSpan BetweenRundowns = TimeSpan.FromMilliseconds(500);

    /// <summary>Nothing says that a rundown is over but a file that has stopped growing.</summary>
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

    /// <summary>Everything was switched on.</summary>
    public long StartNs { get; }

    /// <summary>Written so far.</summary>
    public long Bytes => new FileInfo(_path) is { Exists: true } file ? file.Length : 0;

    public int EventsLost => _session.EventsLost;

    /// <summary>Whether this process may record: ETW's kernel events need an administrator.</summary>
    public static bool IsElevated => TraceEventSession.IsElevated() == true;

    /// <summary>Starts a session for kernel and runtime together, which Windows allows since version 8.</summary>
    /// <param name="path">Of the .etl.</param>
    /// <param name="pid">Whose runtime events are wanted; null: of every .NET process. The kernel's are always the machine's.</param>
    /// <param name="bufferMb">Room for events in the kernel, MB.</param>
    /// <param name="sockets">TCP/IP of every process too.</param>
    /// <param name="requests">Web requests and HttpClient's calls too.</param>
    /// <exception cref="System.Runtime.InteropServices.COMException">Windows refuses: too many sessions, for instance.</exception>
    /// <exception cref="UnauthorizedAccessException">Not an administrator.</exception>
    public static EtwRecording Start(string path, int? pid, int bufferMb, bool sockets, bool requests)
    {
        // The id keeps two recordings apart. A session outlives a collector that was killed: docs/windows.md says how to end it.
        var session = new TraceEventSession($"Poolscope-{Environment.ProcessId}", path)
        {
            BufferSizeMB = bufferMb,
            CpuSampleIntervalMSec = 1,
            StackCompression = true,
            StopOnDispose = true,
        };
        try
        {
            session.EnableKernelProvider(EtwPlan.Kernel(sockets), EtwPlan.KernelStacks); // has to be the first
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

    /// <summary>Ends the session, has the runtimes name their methods, and merges all into one file that can be read on any
    /// machine. Takes seconds.</summary>
    /// <param name="targetLives">A process that has ended names nothing any more.</param>
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

        // Takes in every FILE.clr*.etl beside FILE.etl, and adds which images were loaded.
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
