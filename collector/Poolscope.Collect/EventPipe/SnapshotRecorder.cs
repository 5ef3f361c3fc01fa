using System.Diagnostics;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.EventPipe;

/// <summary>Takes the stacks of all managed threads at random moments, at a slow beat: what blocks and has no event (Thread.Sleep, sockets,
/// files) shows in no other way. Each snapshot is a session of its own of the sample profiler, open for some milliseconds,
/// in snapshots/NNNN.nettrace.</summary>
public sealed class SnapshotRecorder : IAsyncDisposable
{
    /// <summary>The profiler samples every millisecond, and suspends the runtime while it does: one sample is enough, and
    /// the time is for the sampling thread to start and to have its first.</summary>
    private static readonly TimeSpan Open = TimeSpan.FromMilliseconds(3);

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(2);

    /// <summary>So many failures in a row end it: the process hangs or refuses.</summary>
    private const int FailuresAllowed = 3;

    private readonly DiagnosticsClient _client;
    private readonly string _folder;
    private readonly TimeSpan _beat;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _running;
    private int _taken;
    private long _bytes;
    private long _endNs;

    private SnapshotRecorder(DiagnosticsClient client, string captureFolder, TimeSpan beat)
    {
        (_client, _beat) = (client, beat);
        _folder = Path.Combine(captureFolder, SessionPlan.SnapshotsFolder);
        Directory.CreateDirectory(_folder);
        StartNs = _endNs = MonotonicClock.NowNs;
        _running = Task.Run(RunAsync);
    }

    /// <summary>CLOCK_MONOTONIC ns.</summary>
    public long StartNs { get; }

    /// <summary>Bytes of all snapshots so far.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Why there are none, or no more; null: nothing failed.</summary>
    public string? Failure { get; private set; }

    /// <param name="beat">Mean time from one snapshot to the next; above zero.</param>
    public static SnapshotRecorder Start(DiagnosticsClient client, string captureFolder, TimeSpan beat) => new(client, captureFolder, beat);

    /// <summary>For the manifest: all snapshots as one stream.</summary>
    public StreamInfo Describe() => new(SessionPlan.SnapshotsFolder, "eventpipe", StartNs, Interlocked.Read(ref _endNs), Bytes);

    /// <summary>Takes no more snapshots; one under way is finished.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync().ConfigureAwait(false);
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        var failures = 0;
        var clock = Stopwatch.StartNew();
        for (var next = _beat * Random.Shared.NextDouble(); ; next += Gap())
        {
            var wait = next - clock.Elapsed;
            if (wait < TimeSpan.Zero)
            {
                continue; // missed: the one before took too long
            }

            try
            {
                await Task.Delay(wait, _stop.Token).ConfigureAwait(false);
                await TakeAsync(string.Create(CultureInfo.InvariantCulture, $"{_taken + 1:0000}.nettrace")).ConfigureAwait(false);
                failures = 0;
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e) when (DiagnosticErrors.IsExpected(e))
            {
                if (++failures == FailuresAllowed)
                {
                    Failure = e.Message;
                    return;
                }
            }
        }
    }

    /// <summary>At random, and a beat on average: items that come and go on a clock of their own (every half second, say)
    /// would else always be seen in the same place, or never. The analysis counts on this distribution. One that is as
    /// wide as its mean makes each snapshot's place in any period of a beat, or a whole part of it, independent of the
    /// one before.</summary>
    private TimeSpan Gap() => _beat * (0.5 + Random.Shared.NextDouble());

    private async Task TakeAsync(string name)
    {
        var path = Path.Combine(_folder, name);
        var recording = await EventPipeRecording.StartAsync(_client, SessionPlan.Snapshot(), path, Timeout).ConfigureAwait(false);
        await using (recording.ConfigureAwait(false))
        {
            await Task.Delay(Open).ConfigureAwait(false);
            await recording.StopAsync(Timeout).ConfigureAwait(false);
            _taken++;
            Interlocked.Add(ref _bytes, recording.Bytes);
            Interlocked.Exchange(ref _endNs, recording.EndNs);
        }
    }
}
