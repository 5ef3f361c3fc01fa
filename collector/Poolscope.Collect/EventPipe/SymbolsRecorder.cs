using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.EventPipe;

/// <summary>Keeps symbols.nettrace: the newest complete rundown of the target. A rundown that fails leaves the one before.</summary>
public sealed class SymbolsRecorder(DiagnosticsClient client, string folder)
{
    private readonly List<Phase> _taken = [];
    private readonly SemaphoreSlim _one = new(1, 1);

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

    /// <summary>Why the latest attempt gave nothing; null after a success.</summary>
    public string? Failure { get; private set; }

    /// <summary>Takes a rundown now; never throws.</summary>
    /// <param name="timeout">For the whole of it; a rundown of 50,000 methods takes a second or two.</param>
    public async Task TakeAsync(TimeSpan timeout)
    {
        if (!await _one.WaitAsync(timeout).ConfigureAwait(false))
        {
            return;
        }

        var path = Path.Combine(folder, SessionPlan.SymbolsFile);
        var temporary = path + ".tmp";
        try
        {
            var start = MonotonicClock.NowNs;
            var recording = await EventPipeRecording.StartAsync(client, SessionPlan.Symbols(), temporary, timeout).ConfigureAwait(false);
            bool complete;
            await using (recording.ConfigureAwait(false))
            {
                complete = await recording.StopAsync(timeout).ConfigureAwait(false) && recording.HasEndMark;
            }

            if (!complete)
            {
                Failure = recording.WriteFailure ?? "the rundown did not end in time";
                return;
            }

            File.Move(temporary, path, overwrite: true);
            Failure = null;
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
            _one.Release();
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
