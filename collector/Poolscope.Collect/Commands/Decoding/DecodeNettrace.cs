using System.Text.Json;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Commands.Decoding;

/// <summary>Decodes a .nettrace of dotnet-trace, with or without a perf.data or its text, into a capture folder beside
/// that file.</summary>
internal static class DecodeNettrace
{
    private const string Extension = ".nettrace";
    private const string FolderExtension = ".poolscope";

    public static async Task<int> RunAsync(DecodeOptions options, ICommandConsole console, Decoder decoder, CancellationToken cancel)
    {
        if (Path.GetDirectoryName(Path.GetFullPath(options.Capture)) is { } around && File.Exists(Path.Combine(around, CaptureManifest.FileName)))
        {
            throw new CommandException(ExitCode.Unreadable, $"{options.Capture} is a file of the capture {around}: decode takes that folder");
        }

        var say = DecodeCommand.Lines(console);
        var path = options.Output ?? DefaultFolder(options.Capture);
        CaptureFolder? made = null;
        try
        {
            var recording = await Task.Run(() => NettraceImport.Open(options.Capture, options.Scheduler, say, cancel, options.ProcessId, options.Name), cancel).ConfigureAwait(false);
            RequireProcess(options, recording);
            made = WasMade(path) ? null : CaptureFolder.Create(path);
            await Task.Run(() => NettraceImport.Write(recording, Path.GetFullPath(path), CaptureRecorder.Tool, cancel), cancel).ConfigureAwait(false);
            await DecodeCommand.DecodeAsync(path, console, decoder, cancel).ConfigureAwait(false);
            DecodeCommand.WarnOfDamage(path, console);
            if (!recording.IsWhole && !CaptureManifest.Load(path).Streams.Any(stream => stream.Damage is not null))
            {
                console.Error.WriteLine($"warning: {options.Capture} ends early; everything before that was decoded");
            }

            if (recording.ProofOfClock is { } proof)
            {
                console.Error.WriteLine($"one clock: {proof}");
            }

            foreach (var gap in CaptureManifest.Load(path).Refused)
            {
                console.Error.WriteLine(CommandName.InOwnWords($"not in it: {gap.Wanted}: {gap.Why}. {gap.How}"));
            }

            // `poolscope report` makes its page next and names it itself.
            var next = CommandName.SaysNext ? $" Next: poolscope report {path}" : "";
            console.Error.WriteLine($"Decoded {recording.Name} ({recording.ProcessId}).{next}");
            return ExitCode.Ok;
        }
        catch (Exception e)
        {
            made?.Discard();
            throw e switch
            {
                CommandException => e,
                OutputRefusedException or ProcessNotChosenException => new CommandException(ExitCode.Usage, e.Message, e),
                DecodeException => new CommandException(ExitCode.Unreadable, e.Message, e),
                OperationCanceledException => new CommandException(ExitCode.Interrupted, "decoding was interrupted", e),
                _ => new CommandException(ExitCode.Internal, $"internal error, please report it: {e}", e),
            };
        }
    }

    /// <summary>Returns a folder beside the file, with the file's name.</summary>
    internal static string DefaultFolder(string file) =>
        (file.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) ? file[..^Extension.Length] : file) + FolderExtension;

    private static void RequireProcess(DecodeOptions options, ForeignRecording recording)
    {
        if ((options.ProcessId is { } pid && pid != recording.ProcessId)
            || (options.Name is { } name && !string.Equals(name, recording.Name, StringComparison.OrdinalIgnoreCase)))
        {
            throw new CommandException(ExitCode.Unreadable, $"{options.Capture} is of process {recording.ProcessId} ({recording.Name}) and of no other");
        }
    }

    /// <summary>Returns whether an earlier decoding made the folder, which may then be overwritten.</summary>
    private static bool WasMade(string folder)
    {
        try
        {
            return File.Exists(Path.Combine(folder, CaptureManifest.FileName)) && CaptureManifest.Load(folder).MadeFrom is not null;
        }
        catch (Exception e) when (e is JsonException or CaptureRefusedException)
        {
            return false;
        }
    }
}
