using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Poolscope.PerfEvents;
using Poolscope.PerfEvents.Script;

namespace Poolscope.Decode.Import;

/// <summary>Makes a capture from the files that other tools recorded of a process: a .nettrace file and, optionally, a
/// perf.data file of the same time and clock, or the text that `perf script` printed from it. Copies both into the
/// folder, which is then complete in itself.</summary>
public static class NettraceImport
{
    private const string RuntimeFile = "runtime.nettrace";

    /// <summary>The text of `perf script` in a capture that was made from it.</summary>
    internal const string TextFile = "sched.script.txt";

    private const string RuntimeTier = "eventpipe";
    private const string SchedulerTier = "tracepoint";
    private const string Monotonic = "CLOCK_MONOTONIC";
    private const string MonotonicRaw = "CLOCK_MONOTONIC_RAW";
    private const string Linux = "Linux";

    // The pool's default; a trace does not hold the process's configuration.
    private const int DefaultMaxThreads = 32767;
    private const int FirstWithWaits = 9;

    /// <summary>Finds out what the files hold and whether they belong together. Writes nothing.</summary>
    /// <param name="trace">A .nettrace file.</param>
    /// <param name="scheduler">A perf.data file, or the text that `perf script` printed from it; null for none.</param>
    /// <param name="pid">The process to import if the trace holds several; null for the only one with events of the
    /// pool. A trace of one process is not checked against it.</param>
    /// <param name="name">The kernel's name of the process to import, in any case; otherwise like
    /// <paramref name="pid"/>.</param>
    /// <exception cref="CaptureRefusedException">A file is something else, or the two do not belong together. The
    /// message is one line for the user.</exception>
    /// <exception cref="ProcessNotChosenException">The trace holds several processes, and none was chosen.</exception>
    /// <exception cref="DecodeException">A file cannot be read.</exception>
    public static ForeignRecording Open(
        string trace, string? scheduler, IProgress<string>? progress, CancellationToken cancellation, int? pid = null, string? name = null)
    {
        ForeignFile.RequireNettrace(trace);
        progress?.Report($"{Path.GetFileName(trace)}: reading its contents");
        var contents = TraceContents.Read(trace, pid, name, progress, cancellation);
        if (scheduler is null)
        {
            return new ForeignRecording(trace, contents, null, null);
        }

        if (contents.Survey is { IsOfOneCollect: true })
        {
            throw new CaptureRefusedException(
                $"{trace} has times of CLOCK_MONOTONIC_RAW, as dotnet-trace collect-linux writes them, and {scheduler} has others; leave it out, or record the kernel's events into the trace itself: --perf-events {KernelEvents.Wanted}");
        }

        if (contents.Os != Linux)
        {
            throw new CaptureRefusedException(contents.Os.Length > 0
                ? $"{trace} was recorded on {contents.Os}, and {scheduler} by perf on Linux"
                : $"{trace} ends before it names the system that it was recorded on, so Poolscope cannot compare its clock with that of {scheduler}; leave out --scheduler");
        }

        progress?.Report($"{Path.GetFileName(scheduler)}: reading its contents");
        try
        {
            var running = new OnCpuTimes(contents.Threads);
            var perf = PerfRecording.IsPerfData(scheduler) ? PerfRecording.Open(scheduler, cancellation) : PerfScript.Open(scheduler, running, cancellation);
            var evidence = SchedulerMatch.Require(contents, trace, perf, running);
            return new ForeignRecording(trace, contents, scheduler, perf, evidence);
        }
        catch (InvalidDataException e)
        {
            throw new CaptureRefusedException($"{scheduler} {e.Message}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DecodeException($"{scheduler} cannot be read: {e.Message}", e);
        }
    }

    /// <summary>Copies the files into a folder and writes its capture.json. Decoding comes next.</summary>
    /// <param name="folder">An existing folder.</param>
    /// <exception cref="OutputRefusedException">The folder cannot be written.</exception>
    public static void Write(ForeignRecording recording, string folder, ToolInfo tool, CancellationToken cancellation)
    {
        try
        {
            Copy(recording.Trace, Path.Combine(folder, RuntimeFile), cancellation);
            WriteScheduler(recording, folder, cancellation);
            Manifest(recording, folder, tool).Save(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new OutputRefusedException($"{folder} cannot be written: {e.Message}", e);
        }
    }

    /// <summary>Writes the scheduler's perf.data file. A text is copied too: it is the original of that file.</summary>
    private static void WriteScheduler(ForeignRecording recording, string folder, CancellationToken cancellation)
    {
        var (data, text) = (Path.Combine(folder, SchedulerRecording.DataFileName), Path.Combine(folder, TextFile));
        File.Delete(data); // of an earlier decoding
        File.Delete(text);
        if (recording is { Scheduler: { } script, Perf.IsText: true })
        {
            Copy(script, text, cancellation);
            ByWayOfAnotherName(data, path => PerfScript.Convert(text, path, recording.ProcessId, recording.Contents.Threads, cancellation));
        }
        else if (recording.Scheduler is { } scheduler)
        {
            Copy(scheduler, data, cancellation);
        }
        else if (recording.Kernel is not null)
        {
            ByWayOfAnotherName(data, path => KernelConversion.Write(recording.Trace, path, cancellation));
        }
    }

    private static void Copy(string from, string to, CancellationToken cancellation) => ByWayOfAnotherName(to, path =>
    {
        const int bufferBytes = 1 << 20;
        using var source = new FileStream(from, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, 0);
        using var target = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, 0);
        var buffer = new byte[bufferBytes];
        while (source.Read(buffer) is > 0 and var read)
        {
            cancellation.ThrowIfCancellationRequested();
            target.Write(buffer, 0, read);
        }
    });

    /// <summary>Writes a file under a temporary name first, so that an interrupted write leaves no file.</summary>
    private static void ByWayOfAnotherName(string to, Action<string> write)
    {
        var temporary = to + ".new";
        try
        {
            write(temporary);
            File.Move(temporary, to, overwrite: true);
        }
        finally
        {
            File.Delete(temporary);
        }
    }

    private static CaptureManifest Manifest(ForeignRecording recording, string folder, ToolInfo tool)
    {
        var (contents, perf) = (recording.Contents, recording.Perf);
        var header = contents.Header;
        var bytes = new FileInfo(recording.Trace).Length;
        return new CaptureManifest
        {
            Format = CaptureManifest.KnownFormat,
            Tool = tool,
            Status = contents.IsWhole ? CaptureStatus.Complete : CaptureStatus.Cut,
            Clock = new ClockInfo(contents.Os switch { Linux when contents.Survey is { IsOfOneCollect: true } => MonotonicRaw, Linux => Monotonic, "Windows" => "QueryPerformanceCounter", _ => "the runtime's" }, contents.StartNs, header.StartUtc),
            Host = new HostInfo(perf?.HostName ?? "", contents.Os, perf?.Kernel ?? "", contents.Architecture, header.Processors, perf?.MemoryBytes ?? -1),
            Target = new TargetInfo
            {
                Pid = header.ProcessId,
                Name = recording.Name,
                Command = contents.CommandLine.Length > 0 ? [contents.CommandLine] : [],
                Launched = contents.FromStart,
                Runtime = Named(contents),
                Limits = contents.Runtime is { Major: < FirstWithWaits } ? [RuntimeLimit.StacksOnEveryEvent, RuntimeLimit.NoWaitHandleEvents] : [],
                CpusAllowed = header.Processors,
                ProcessorCount = header.Processors,
                MinThreads = new KnownValue(header.Processors, "unknown"),
                MaxThreads = new KnownValue(DefaultMaxThreads, "unknown"),
            },
            MadeFrom =
            [
                new SourceFile(RuntimeFile, Path.GetFileName(recording.Trace), SourceFormat.Nettrace),
                .. recording.Scheduler is { } scheduler ? [Source(Path.GetFileName(scheduler), perf!.IsText)] : Array.Empty<SourceFile>(),
            ],
            Phases = [new Phase("recording", contents.StartNs, contents.EndNs)],
            Streams =
            [
                new StreamInfo(RuntimeFile, RuntimeTier, contents.StartNs, contents.EndNs, bytes),
                .. perf is not null ? [Scheduler(folder, perf.FirstNs, perf.LastNs)]
                    : recording.Kernel is { } kernel ? [Scheduler(folder, kernel.FirstNs, kernel.LastNs)]
                    : Array.Empty<StreamInfo>(),
            ],
            Refused = [.. ForeignGaps.Of(recording)],
        };
    }

    private static StreamInfo Scheduler(string folder, long first, long last) =>
        new(SchedulerRecording.DataFileName, SchedulerTier, first, last, new FileInfo(Path.Combine(folder, SchedulerRecording.DataFileName)).Length);

    private static SourceFile Source(string name, bool isText) => isText
        ? new SourceFile(TextFile, name, SourceFormat.PerfScript)
        : new SourceFile(SchedulerRecording.DataFileName, name, SourceFormat.PerfData);

    /// <summary>Returns the runtime's common name. .NET Core 2 and 3 both report base library version 4.</summary>
    private static string? Named(TraceContents contents) => contents.Runtime switch
    {
        null => null,
        { } version when contents.IsFramework => $".NET Framework {version}",
        { Major: < 5 } => ".NET Core, older than .NET 5",
        { } version => $".NET {version}",
    };
}
