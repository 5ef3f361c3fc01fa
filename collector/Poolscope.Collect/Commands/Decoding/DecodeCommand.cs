using Poolscope.Collect.Errors;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Reading;

namespace Poolscope.Collect.Commands.Decoding;

/// <param name="Capture">Folder of a capture, a trace of Windows (.etl, .etl.zip, .etlx), or a .nettrace of dotnet-trace.</param>
public sealed record DecodeOptions(string Capture)
{
    /// <summary>Of a trace: folder of the capture to be made; null: beside it.</summary>
    public string? Output { get; init; }

    /// <summary>Of a trace: the process; null: by name, or the one with the most work items.</summary>
    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    /// <summary>Of a .nettrace: the perf.data that was recorded beside it; null: none.</summary>
    public string? Scheduler { get; init; }
}

/// <summary>Turns a decoder's words and errors into lines and exit codes.</summary>
/// <param name="folder">Of the capture.</param>
/// <param name="say">Takes what is being done.</param>
public delegate Task Decoder(string folder, IProgress<string> say, CancellationToken cancel);

/// <summary>Makes the tables of a capture from its raw streams, again if they were made before.</summary>
public static class DecodeCommand
{
    /// <param name="importer">Null: traces are not taken.</param>
    public static async Task<int> RunAsync(
        DecodeOptions options, ICommandConsole console, Decoder decoder, CancellationToken cancel, TraceImporter? importer = null)
    {
        // A name proves nothing: people rename what dotnet-trace wrote, so that PerfView opens it.
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

    /// <returns>The command for the only .nettrace in a folder; empty if there is none, or several.</returns>
    private static string TraceIn(string folder) =>
        Directory.GetFiles(folder, "*.nettrace", new EnumerationOptions { MatchCasing = MatchCasing.CaseInsensitive }) is [var trace]
            ? $"; to decode the trace in it: poolscope-collect decode {trace}"
            : "";

    /// <summary>What a file is that was named where a folder is wanted, and what to do with it.</summary>
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

    /// <summary>The streams of which a part was not taken, as decoding noted them.</summary>
    private static IEnumerable<StreamInfo> Damaged(string folder)
    {
        try
        {
            return CaptureManifest.Load(folder).Streams.Where(stream => stream.Damage is not null);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or System.Text.Json.JsonException)
        {
            return []; // it was written a moment ago; who took it away knows
        }
    }

    /// <exception cref="CommandException">It cannot be decoded.</exception>
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

    /// <summary>Says what is being done, where someone watches.</summary>
    internal static IProgress<string> Lines(ICommandConsole console) => new TerminalLines(console);

    /// <summary>Progress&lt;T&gt; would say it on the pool, after the closing line.</summary>
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
