using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Commands.Collecting;

/// <summary>Finishes a recording on every system: shows progress, stops, decodes, and names the result.</summary>
internal sealed class CollectRun(ICommandConsole console, Decoder decoder)
{
    public void WarnOfRefusals(CaptureRecorder recorder)
    {
        foreach (var refusal in recorder.Refused)
        {
            console.Warn($"without {refusal.Wanted} ({refusal.Stream}): {refusal.Why}. {refusal.How}");
        }
    }

    public async Task<CaptureManifest> RecordAsync(CaptureRecorder recorder, StopRequest stop, bool rewrite)
    {
        if (console.ErrorIsTerminal)
        {
            console.Error.WriteLine("Recording. Ctrl-C stops it.");
        }

        var line = new ProgressLine(console, rewrite);
        var reason = await recorder.WaitForStopAsync(stop, line.Show).ConfigureAwait(false);
        line.End();
        return await recorder.StopAsync(reason).ConfigureAwait(false);
    }

    public async Task<int> FinishAsync(CollectOptions options, CaptureFolder folder, CaptureRecorder recorder, CaptureManifest manifest, StopRequest stop)
    {
        var shown = Path.GetRelativePath(Environment.CurrentDirectory, folder.FullPath) is var relative && relative.StartsWith("..", StringComparison.Ordinal)
            ? folder.FullPath
            : relative;
        if (recorder.WriteFailure is { } failure)
        {
            throw new CommandException(ExitCode.Usage, $"recording ended early; the streams so far are in {shown}: {failure}");
        }

        if (manifest.Status == CaptureStatus.Cut)
        {
            console.Warn(manifest.Stop switch
            {
                StopReason.TargetKilled => "the process was killed or crashed: the last moments of its events are missing",
                StopReason.MaxSize => "the capture reached --max-size: the last moments of its events are missing",
                _ => "the process did not end its event streams in time: their last moments are missing",
            });
        }

        if (recorder.PollingCost is { } cost)
        {
            console.Error.WriteLine(cost);
        }

        if (options.Decode)
        {
            await DecodeCommand.DecodeAsync(folder.FullPath, console, decoder, stop.Hurry).ConfigureAwait(false);
            manifest = CaptureManifest.Load(folder.FullPath);
        }

        if (Invoker.Find() is { } invoker)
        {
            folder.GiveTo(invoker);
        }

        if (manifest.Streams.Where(stream => stream.Lost > 0).ToList() is { Count: > 0 } lossy)
        {
            console.Warn($"events were lost, the capture is incomplete: {string.Join(", ", lossy.Select(stream => $"{stream.Lost:N0} of {stream.File}"))}");
        }

        if (manifest.Streams.FirstOrDefault(stream => stream.StalledNs > 0) is { } stalled)
        {
            console.Warn($"the disk was slower than {stalled.File} grew, for {stalled.StalledNs / 1e6:N0} ms: a faster one (-o) loses fewer events");
        }

        if (options.Decode && options.Activities.Count > 0 && manifest.Tables?.ContainsKey("activities") != true)
        {
            var sources = string.Join(", ", options.Activities);
            console.Warn($"no activity of {sources} began or ended: is that the name of an ActivitySource? --activities '*' records every source");
        }

        var next = CommandName.SaysNext ? $" Next: {(options.Decode ? "poolscope report" : CommandName.InOwnWords("poolscope decode"))} {shown}" : "";
        console.Error.WriteLine($"Captured {Describe(manifest, folder.TableBytes)} in {shown}.{next}");
        return ExitCode.Ok;
    }

    private static string Describe(CaptureManifest manifest, long tableBytes)
    {
        var recording = manifest.Phases.Single(phase => phase.Name == "recording");
        var why = manifest.Stop switch
        {
            StopReason.MaxSize => ", ended by --max-size",
            StopReason.TargetExit => ", ended with the process",
            _ => "",
        };
        var tables = tableBytes > 0 ? $" and {ByteSize.Format(tableBytes)} of tables" : "";
        return $"{(recording.EndNs - recording.StartNs) / 1e9:0.0} s of {manifest.Target.Name} ({ByteSize.Format(manifest.Streams.Sum(stream => stream.Bytes))}{tables}{why})";
    }
}
