using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.EventPipe;

/// <summary>Keeps symbols.nettrace, the newest complete rundown of the target. A failed rundown leaves the previous
/// one.</summary>
/// <param name="runtime">The target's runtime with its version, or null if it is unknown.</param>
public sealed class SymbolsRecorder(DiagnosticsClient client, string? runtime, string folder, SizeLimit size)
{
    private readonly List<Phase> _taken = [];
    private Task _latest = Task.CompletedTask;

    /// <summary>The times of the rundowns, during which the target did extra work.</summary>
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

    /// <summary>The size of the newest complete rundown, in bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>The reason why the latest attempt failed, or null after a success.</summary>
    public string? Failure { get; private set; }

    /// <summary>Takes a rundown, after one under way. Never throws. Only one thread may call it at a time.</summary>
    /// <param name="timeout">The limit for opening the session, and again for the rundown. 50,000 methods take a second
    /// or two.</param>
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
            // The file stays behind on a failing disk. The capture does not depend on it.
        }
    }
}
