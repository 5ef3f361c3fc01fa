using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Reading;

namespace Poolscope.Collect.Commands.Decoding;

/// <param name="Capture">A capture folder, a Windows trace (.etl, .etl.zip, .etlx), or a .nettrace of
/// dotnet-trace.</param>
public sealed record DecodeOptions(string Capture)
{
    /// <summary>The folder of the capture to make from a trace, or null to make it beside the trace.</summary>
    public string? Output { get; init; }

    /// <summary>The process in a trace. If it is null, the name decides, or else the number of work items.</summary>
    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    /// <summary>The perf.data recorded together with a .nettrace, or null if there is none.</summary>
    public string? Scheduler { get; init; }
}

/// <summary>Makes the tables of a capture. <see cref="DecodeCommand"/> turns its progress and errors into lines and
/// exit codes.</summary>
/// <param name="folder">The folder of the capture.</param>
/// <param name="say">Receives one line for each step.</param>
public delegate Task Decoder(string folder, IProgress<string> say, CancellationToken cancel);

/// <summary>Makes the tables of a capture from its raw streams, even if an earlier decoding has made them.</summary>
public static class DecodeCommand
{
    /// <param name="importer">Imports Windows traces, or null to reject all traces.</param>
    public static async Task<int> RunAsync(
        DecodeOptions options, ICommandConsole console, Decoder decoder, CancellationToken cancel, TraceImporter? importer = null)
    {
        // The extension proves nothing: people rename a file of dotnet-trace so that PerfView opens it.
        if (importer is not null && TraceFile.IsTrace(options.Capture) && !ForeignFile.BeginsAsNettrace(options.Capture))
        {
            RequireNoScheduler(options);
            return await DecodeTrace.RunAsync(options, console, importer, decoder, cancel).ConfigureAwait(false);
        }

        if (importer is not null && File.Exists(options.Capture))
        {
            return await DecodeNettrace.RunAsync(options, console, decoder, cancel).ConfigureAwait(false);
        }

        var folder = options.Capture;
        if (!Path.Exists(folder))
        {
            throw new CommandException(ExitCode.Unreadable, $"there is no file or folder {folder}");
        }

        RequireNoScheduler(options);
        if (options is not { Output: null, ProcessId: null, Name: null })
        {
            throw new CommandException(ExitCode.Usage, "-p, -n and -o are for traces of other tools: a capture folder has its process and its place");
        }

        if (!Directory.Exists(folder))
        {
            throw new CommandException(ExitCode.Unreadable, NoFolder(folder));
        }

        if (!File.Exists(Path.Combine(folder, CaptureManifest.FileName)))
        {
            throw new CommandException(ExitCode.Unreadable, $"{folder} is no capture: it has no {CaptureManifest.FileName}{TraceIn(folder)}");
        }

        await DecodeAsync(folder, console, decoder, cancel).ConfigureAwait(false);
        WarnOfDamage(folder, console);
        console.Error.WriteLine($"Decoded. Next: poolscope report {folder}");
        return ExitCode.Ok;
    }

    private static void RequireNoScheduler(DecodeOptions options)
    {
        if (options.Scheduler is not null)
        {
            throw new CommandException(ExitCode.Usage, "--scheduler goes with a .nettrace file: a capture folder and a trace of Windows hold the kernel's events");
        }
    }

    /// <returns>The command for the only .nettrace in the folder, or empty if the folder has none or several.</returns>
    private static string TraceIn(string folder) =>
        Directory.GetFiles(folder, "*.nettrace", new EnumerationOptions { MatchCasing = MatchCasing.CaseInsensitive }) is [var trace]
            ? $"; to decode the trace in it: poolscope-collect decode {trace}"
            : "";

    /// <summary>Returns a message that names the kind of file given instead of a folder, and the next step.</summary>
    private static string NoFolder(string file) => file.EndsWith(".zip", StringComparison.OrdinalIgnoreCase)
        ? $"{file} is a zip file: unpack it to decode the capture in it; one that was decoded before is read as it is: poolscope report {file}"
        : $"{file} is a file: decode takes the folder of a capture, or a trace of Windows (.etl, .etl.zip, .etlx)";

    internal static void WarnOfDamage(string folder, ICommandConsole console)
    {
        foreach (var stream in Damaged(folder))
        {
            console.Error.WriteLine($"warning: {stream.File} is damaged: {stream.Damage}; everything before that was decoded");
        }
    }

    /// <summary>Returns the streams that decoding could not read to the end.</summary>
    private static IEnumerable<StreamInfo> Damaged(string folder)
    {
        try
        {
            return CaptureManifest.Load(folder).Streams.Where(stream => stream.Damage is not null);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or System.Text.Json.JsonException)
        {
            return []; // decoding has just written the manifest, so another program has removed it
        }
    }

    /// <exception cref="CommandException">The capture cannot be decoded.</exception>
    internal static async Task DecodeAsync(string folder, ICommandConsole console, Decoder decoder, CancellationToken cancel)
    {
        try
        {
            await decoder(folder, Lines(console), cancel).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            throw new CommandException(ExitCode.Interrupted, $"decoding was interrupted; again with: poolscope decode {folder}");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or InvalidDataException or System.Text.Json.JsonException)
        {
            throw new CommandException(ExitCode.Unreadable, $"{folder} cannot be decoded: {e.Message}", e);
        }
    }

    /// <summary>Returns progress that writes each step as a line if stderr is a terminal.</summary>
    internal static IProgress<string> Lines(ICommandConsole console) => new TerminalLines(console);

    /// <summary>Writes at once. Progress&lt;T&gt; would write from the pool, after the closing line.</summary>
    private sealed class TerminalLines(ICommandConsole console) : IProgress<string>
    {
        public void Report(string value)
        {
            if (console.ErrorIsTerminal)
            {
                console.Error.WriteLine(value);
            }
        }
    }
}
