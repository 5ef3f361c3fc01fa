using System.Text.Json;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Reading;

namespace Poolscope.Collect.Commands.Decoding;

/// <summary>Makes a capture from a Windows trace.</summary>
/// <param name="folder">The existing folder of the capture.</param>
/// <returns>The process of the capture.</returns>
/// <exception cref="CommandException">The trace has no such process.</exception>
public delegate TraceProcessInfo TraceImporter(DecodeOptions options, string folder, IProgress<string> say);

/// <summary>Decodes an .etl, .etl.zip or .etlx into a capture folder beside it.</summary>
internal static class DecodeTrace
{
    private const string EtwTier = "etw";

    public static async Task<int> RunAsync(
        DecodeOptions options, ICommandConsole console, TraceImporter importer, Decoder decoder, CancellationToken cancel)
    {
        if (!File.Exists(options.Capture))
        {
            throw new CommandException(ExitCode.Unreadable, $"there is no file {options.Capture}");
        }

        var path = options.Output ?? TraceFile.Stem(options.Capture) + ".poolscope";
        var made = HoldsATrace(path) ? null : CaptureFolder.Create(path);
        TraceProcessInfo process;
        try
        {
            process = await Task.Run(() => importer(options, Path.GetFullPath(path), DecodeCommand.Lines(console)), cancel).ConfigureAwait(false);
            await DecodeCommand.DecodeAsync(path, console, decoder, cancel).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            made?.Discard();
            if (e is InvalidDataException)
            {
                throw new CommandException(ExitCode.Unreadable, e.Message, e);
            }

            throw;
        }

        var why = options.ProcessId is not null || options.Name is not null ? ""
            : process.IsRecorder ? ", which recorded the trace: no other process has work items"
            : ", the process with the most work items";

        // `poolscope report` makes its page next and names it itself.
        var next = CommandName.SaysNext ? $" Next: poolscope report {path}" : "";
        DecodeCommand.WarnOfDamage(path, console);
        console.Error.WriteLine($"Decoded {process.Name} ({process.Pid}){why}.{next}");
        return ExitCode.Ok;
    }

    /// <summary>Returns whether the folder holds a capture with ETW events, such as an earlier decoding. It may then be
    /// overwritten.</summary>
    private static bool HoldsATrace(string folder)
    {
        try
        {
            return File.Exists(Path.Combine(folder, CaptureManifest.FileName))
                && CaptureManifest.Load(folder).Streams.Any(stream => stream.Tier == EtwTier);
        }
        catch (Exception e) when (e is JsonException or CaptureRefusedException)
        {
            return false;
        }
    }
}
