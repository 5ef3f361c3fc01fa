using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.EventPipe;

/// <summary>Keeps symbols.nettrace: the newest complete rundown of the target. A rundown that fails leaves the one before.</summary>
/// <param name="runtime">The target's, with its version; null: not known.</param>
public sealed class SymbolsRecorder(DiagnosticsClient client, string? runtime, string folder, SizeLimit size)
{
    private readonly List<Phase> _taken = [];
    private Task _latest = Task.CompletedTask;

    /// <summary>When a rundown was taken: for these moments the target did extra work.</summary>
    public IReadOnlyList<Phase> Taken
    {
        get
        {
            lock (_taken)
            {
                return [.. _taken];
            }
        }
    }

    /// <summary>Size of the newest complete rundown, bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>Why the latest attempt gave nothing; null after a success.</summary>
    public string? Failure { get; private set; }

    /// <summary>Takes a rundown, after one that is under way; never throws. Called by one thread at a time.</summary>
    /// <param name="timeout">For opening the session and for the rundown, each; 50,000 methods take a second or two.</param>
    public Task TakeAsync(TimeSpan timeout) => _latest = TakeAfterAsync(_latest, timeout);

    private async Task TakeAfterAsync(Task before, TimeSpan timeout)
    {
        await before.ConfigureAwait(false);
        var path = Path.Combine(folder, SessionPlan.SymbolsFile);
        var temporary = PrivateFiles.TemporaryIn(folder);
        var taken = 0L;
        var full = false;
        try
        {
            var start = MonotonicClock.NowNs;
            var recording = await EventPipeRecording.StartAsync(client, SessionPlan.Symbols(RuntimeVersion.Major(runtime) >= TargetInfo.FirstWithManagedOwners), temporary, timeout, MayWrite).ConfigureAwait(false);
            bool complete;
            await using (recording.ConfigureAwait(false))
            {
                complete = await recording.StopAsync(timeout).ConfigureAwait(false) && recording.HasEndMark;
            }

            if (!complete)
            {
                Failure = full ? "the capture is as large as it may be" : recording.WriteFailure ?? "the rundown did not end in time";
                size.Return(taken, TableSize.OfSymbols);
                return;
            }

            File.Move(temporary, path, overwrite: true);
            Failure = null;
            size.Return(Bytes, TableSize.OfSymbols);
            Bytes = taken;
            lock (_taken)
            {
                _taken.Add(new Phase("symbols", start, MonotonicClock.NowNs));
            }
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            Failure = e.Message;
        }
        finally
        {
            TryDelete(temporary);
        }

        bool MayWrite(int bytes)
        {
            full = full || !size.TryTake(bytes, TableSize.OfSymbols);
            taken += full ? 0 : bytes;
            return !full;
        }
    }

    private static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (IOException)
        {
            // Left behind on a disk that fails; the capture does not depend on it.
        }
    }
}
