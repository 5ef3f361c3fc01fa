using Poolscope.Collect.Errors;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Decode;
using Poolscope.Decode.Errors;
using Poolscope.Etw.Reading;

namespace Poolscope.Collect.Commands.Decoding;

/// <summary>Runs the decoder for the verbs.</summary>
internal static class CaptureTables
{
    private const string Elsewhere = "install it, or copy the input to a machine that has it and decode it there";

    /// <exception cref="CommandException">The folder holds no capture or an unsupported one, its tables cannot be
    /// written, or decoding takes more memory than is free.</exception>
    /// <exception cref="InvalidDataException">The capture cannot be decoded. The message is for the user.</exception>
    public static async Task DecodeAsync(string folder, IProgress<string> progress, CancellationToken cancel)
    {
        try
        {
            OpenSsl.RequireToDecode(Elsewhere);
            if (FreeMemory.ForHeap(ProcFs.System) is { } free)
            {
                HeapLimit.Set(free);
            }

            Bound(Directory.GetFiles(folder).Where(TraceFile.IsTrace));
            await Task.Run(() => CaptureDecoder.Decode(folder, progress, cancel), cancel).ConfigureAwait(false);
        }
        catch (OutputRefusedException e)
        {
            throw new CommandException(ExitCode.Usage, e.Message, e);
        }
        catch (CaptureRefusedException e)
        {
            throw new CommandException(ExitCode.Unreadable, e.Message, e);
        }
        catch (DecodeException e)
        {
            throw new InvalidDataException(e.Message, e);
        }
        catch (OutOfMemoryException e)
        {
            throw new CommandException(ExitCode.Unreadable, $"{folder}: decoding takes more memory than is free here; its streams are complete: copy the folder to a machine with more, and run there: poolscope decode {Path.GetFileName(Path.GetFullPath(folder))}", e);
        }
    }

    /// <exception cref="CommandException">The trace has no such process.</exception>
    /// <exception cref="InvalidDataException">The trace is damaged. The message is for the user.</exception>
    public static TraceProcessInfo Import(DecodeOptions options, string folder, IProgress<string> progress)
    {
        try
        {
            OpenSsl.RequireToDecode(Elsewhere);
            Bound([options.Capture]);
            return TraceImport.Import(options.Capture, folder, CaptureRecorder.Tool, options.ProcessId, options.Name, progress, out var refusal)
                ?? throw new CommandException(ExitCode.Unreadable, $"{options.Capture}: {refusal}");
        }
        catch (DecodeException e)
        {
            throw new InvalidDataException(e.Message, e);
        }
    }

    /// <summary>Limits the memory for reading traces: a damaged trace may demand more than its size
    /// justifies.</summary>
    private static void Bound(IEnumerable<string> traces)
    {
        if (traces.Select(trace => new FileInfo(trace).Length).DefaultIfEmpty(0).Max() is > 0 and var largest)
        {
            TraceMemory.Limit(largest);
        }
    }
}
