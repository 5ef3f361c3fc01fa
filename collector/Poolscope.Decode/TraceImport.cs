using Poolscope.Decode.Captures;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Streams;
using Poolscope.Etw.Reading;

namespace Poolscope.Decode;

/// <summary>Turns a trace that another tool recorded on Windows into a capture: writes the manifest that the collector
/// would have written. The trace itself is not moved.</summary>
public static class TraceImport
{
    // The pool's default limit; a trace does not contain the process's configuration.
    private const int DefaultMaxThreads = 32767;

    /// <summary>The refusal that says why work items of .NET Framework may be joined wrongly.</summary>
    public static Refusal FrameworkIds { get; } = new(
        "work items",
        "stable ids",
        ".NET Framework may name a work item by its address, which a garbage collection changes: items may be joined wrongly or not at all",
        "Record the program on .NET 8 or newer");

    /// <summary>Returns the refusal for a trace whose only process with work items is the recorder.</summary>
    private static Refusal OnlyTheRecorder(TraceProcessInfo recorder) => new(
        "work items",
        "another process than the recorder",
        $"the only process with work items in the trace is {recorder.Name} ({recorder.Pid}), which recorded it: no other queued any, or FrameworkEventSource was off in it",
        "Record again with the line that this prints: poolscope recipe perfview");

    /// <summary>Writes FOLDER/capture.json and, on Windows, FOLDER/kernel.etlx if the trace is an .etl file. The folder
    /// can then be decoded.</summary>
    /// <param name="folder">An existing folder.</param>
    /// <param name="pid">The id of the target; null selects the process with the most work items.</param>
    /// <param name="name">The name of the target; null accepts any name.</param>
    /// <param name="refusal">One line for the user that says why no process was chosen.</param>
    /// <returns>The chosen process; null if none was chosen.</returns>
    /// <exception cref="DecodeException">The trace is damaged, or the folder cannot be written.</exception>
    public static TraceProcessInfo? Import(
        string trace, string folder, ToolInfo tool, int? pid, string? name, IProgress<string>? progress, out string refusal)
    {
        try
        {
            progress?.Report($"{Path.GetFileName(trace)}: processes");
            using var opened = TraceFile.Open(trace, Path.Combine(folder, EtwStream.DigestFile), progress);
            var target = ProcessChoice.Choose(opened.Processes, pid, name, out refusal);
            if (target is not null)
            {
                var asked = pid is not null || name is not null;
                Manifest(opened, target, asked, Path.GetRelativePath(folder, opened.Path).Replace(Path.DirectorySeparatorChar, '/'), new FileInfo(opened.Path).Length, tool).Save(folder);
            }

            return target;
        }
        catch (Exception e) when (e is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            throw new DecodeException(e.Message, e);
        }
        catch (OutOfMemoryException e)
        {
            throw new DecodeException($"{Path.GetFileName(trace)} is damaged: reading it takes more memory than a trace of its size does", e);
        }
    }

    private static CaptureManifest Manifest(ITrace trace, TraceProcessInfo target, bool asked, string file, long bytes, ToolInfo tool)
    {
        var start = trace.WorkItemsFromNs(target.Pid);
        return new CaptureManifest
        {
            Format = CaptureManifest.KnownFormat,
            Tool = tool,
            Status = CaptureStatus.Complete,
            Clock = new ClockInfo("QueryPerformanceCounter", trace.FirstNs, trace.StartUtc),
            Host = new HostInfo(trace.MachineName, trace.OsName, trace.OsBuild, trace.PointerSize == 8 ? "64-bit" : "32-bit", trace.Processors, trace.MemoryBytes),
            Target = new TargetInfo
            {
                Pid = target.Pid,
                Name = target.Name,
                Command = [target.CommandLine.Length > 0 ? target.CommandLine : target.Name],
                Launched = false,
                Runtime = target.IsFramework ? ".NET Framework" : ".NET",
                CpusAllowed = trace.Processors,
                ProcessorCount = trace.Processors,
                MinThreads = new KnownValue(trace.Processors, "default"),
                MaxThreads = new KnownValue(DefaultMaxThreads, "default"),
            },
            Phases = [new Phase("recording", start, trace.LastNs)],
            Streams = [new StreamInfo(file, StreamTiers.Etw, start, trace.LastNs, bytes)],
            Refused =
            [
                .. target.IsRecorder && !asked ? [OnlyTheRecorder(target)] : Array.Empty<Refusal>(),
                .. target.IsFramework ? [FrameworkIds] : Array.Empty<Refusal>(),
            ],
        };
    }
}
