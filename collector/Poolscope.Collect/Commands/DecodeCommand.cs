using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Commands;

public sealed record DecodeOptions(string Capture);

/// <summary>Turns a decoder's words and errors into lines and exit codes.</summary>
/// <param name="folder">Of the capture.</param>
/// <param name="say">Takes what is being done.</param>
public delegate Task Decoder(string folder, IProgress<string> say, CancellationToken cancel);

/// <summary>Makes the tables of a capture from its raw streams, again where they were made before.</summary>
public static class DecodeCommand
{
    public static async Task<int> RunAsync(DecodeOptions options, ICommandConsole console, Decoder decoder, CancellationToken cancel)
    {
        var folder = options.Capture;
        if (!Directory.Exists(folder))
        {
            throw new CommandException(ExitCode.Argument, $"there is no folder {folder}");
        }

        if (!File.Exists(Path.Combine(folder, CaptureManifest.FileName)))
        {
            throw new CommandException(ExitCode.Argument, $"{folder} is no capture: it has no {CaptureManifest.FileName}");
        }

        await DecodeAsync(folder, console, decoder, cancel).ConfigureAwait(false);
        console.Error.WriteLine($"Decoded. Next: poolscope report {folder}");
        return ExitCode.Ok;
    }

    /// <exception cref="CommandException">It cannot be decoded.</exception>
    internal static async Task DecodeAsync(string folder, ICommandConsole console, Decoder decoder, CancellationToken cancel)
    {
        try
        {
            await decoder(folder, new TerminalLines(console), cancel).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            throw new CommandException(ExitCode.Tracing, $"decoding was interrupted; again with: poolscope-collect decode {folder}");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or InvalidDataException or System.Text.Json.JsonException)
        {
            throw new CommandException(ExitCode.Tracing, $"{folder} cannot be decoded: {e.Message}", e);
        }
    }

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
