using System.Diagnostics;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Snapshots;

namespace Poolscope.Collect.EventPipe;

/// <summary>Takes the stacks of all managed threads at random moments: what blocks and has no event (Thread.Sleep, sockets,
/// files) shows in no other way. Each snapshot is a session of its own of the sample profiler, open for some milliseconds,
/// in snapshots/NNNN.nettrace.</summary>
/// <remarks>Measured in gaps of the pace, one random snapshot follows another after 0.5 to 1.5, uniformly: items that come and
/// go on a clock of their own (every half second, say) would else always be seen in the same place, or never. The analysis
/// counts on this distribution. One that is as wide as its mean makes each snapshot's place in any period of a gap, or a
/// whole part of it, independent of the one before. When the pace changes, what is left of the way to the next snapshot is
/// gone at the new pace.</remarks>
public sealed class SnapshotRecorder : IAsyncDisposable
{
    /// <summary>The profiler samples every millisecond, and suspends the runtime while it does: one sample is enough, and
    /// the time is for the sampling thread to start and to have its first.</summary>
    private static readonly TimeSpan Open = TimeSpan.FromMilliseconds(3);

    /// <summary>For one that is taken again because the sampling thread had no core in time: in 312 recordings of the zoo that befell
    /// 1 % of the snapshots on .NET 10, 2 % on 8 and 9, 4 % on 11, and most of all those of moments without a free core.</summary>
    private static readonly TimeSpan OpenAgain = TimeSpan.FromMilliseconds(15);

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(2);

    /// <summary>From one look at the pace to the next.</summary>
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    /// <summary>This many failures in a row end it: the process hangs or refuses.</summary>
    private const int FailuresAllowed = 3;

    private readonly DiagnosticsClient _client;
    private readonly SizeLimit _size;
    private readonly string _folder;
    private readonly SnapshotPace _pace;
    private readonly ISnapshotMoments _moments;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _running;
    private int _taken;
    private long _bytes;
    private long _endNs;
    private TimeSpan _gap;
    private string? _lastFailure;
    private bool _ended;

    private SnapshotRecorder(DiagnosticsClient client, string captureFolder, SnapshotPace pace, SizeLimit size, bool atStart, ISnapshotMoments moments)
    {
        (_client, _pace, _size) = (client, pace, size);
        _folder = Path.Combine(captureFolder, SessionPlan.SnapshotsFolder);
        PrivateFiles.CreateFolder(_folder);
        _moments = moments;
        StartNs = _endNs = MonotonicClock.NowNs;
        _running = Task.Run(() => RunAsync(atStart));
    }

    /// <summary>CLOCK_MONOTONIC ns.</summary>
    public long StartNs { get; }

    /// <summary>Bytes of all snapshots so far.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Why there are none, or no more; null: nothing failed.</summary>
    public string? Failure { get; private set; }

    /// <param name="atStart">Take one at once: it says which threads of a running process are inside a work item.</param>
    /// <param name="moments">Null: the capture's folder gets them.</param>
    internal static SnapshotRecorder Start(
        DiagnosticsClient client, string captureFolder, SnapshotPace pace, SizeLimit size, bool atStart, ISnapshotMoments? moments = null) =>
        new(client, captureFolder, pace, size, atStart, moments ?? new SnapshotMoments(captureFolder));

    /// <summary>For the manifest: all snapshots as one stream.</summary>
    public StreamInfo Describe() => new(SessionPlan.SnapshotsFolder, "eventpipe", StartNs, Interlocked.Read(ref _endNs), Bytes);

    /// <summary>Takes no more random snapshots; one under way is finished.</summary>
    /// <param name="takeLast">Take one more, now: it says what holds the threads at the end.</param>
    public async Task StopAsync(bool takeLast)
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
        if (takeLast && !_ended && Failure is null)
        {
            await TryTakeAsync(SnapshotWhy.End).ConfigureAwait(false);
        }

        _ended = true;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync(takeLast: false).ConfigureAwait(false);
        _moments.Dispose();
        _stop.Dispose();
    }

    private async Task RunAsync(bool atStart)
    {
        var clock = Stopwatch.StartNew();
        SetGap(_pace.Gap(TimeSpan.Zero));
        var failures = atStart && !await TryTakeAsync(SnapshotWhy.Start).ConfigureAwait(false) ? 1 : 0;
        var left = Random.Shared.NextDouble();
        for (var last = clock.Elapsed; ;)
        {
            var wait = left * _gap;
            try
            {
                await Task.Delay(wait < Look ? wait : Look, _stop.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                return;
            }

            left -= Passed();
            if (left <= 0)
            {
                failures = await TryTakeAsync(SnapshotWhy.Random).ConfigureAwait(false) ? 0 : failures + 1;
                if (failures == FailuresAllowed)
                {
                    Failure = _lastFailure;
                    return;
                }

                left -= Passed();
                while (left <= 0)
                {
                    left += 0.5 + Random.Shared.NextDouble(); // what fell due meanwhile is missed
                }
            }

            SetGap(_pace.Gap(last));

            double Passed()
            {
                var (before, now) = (last, clock.Elapsed);
                last = now;
                return (now - before) / _gap;
            }
        }
    }

    private void SetGap(TimeSpan gap)
    {
        if (gap != _gap)
        {
            _gap = gap;
            _moments.Add(new SnapshotMoment(MonotonicClock.NowNs, GapNs, SnapshotWhy.Gap, ""));
        }
    }

    private long GapNs => _gap.Ticks * TimeSpan.NanosecondsPerTick;

    /// <returns>False: it failed.</returns>
    private async Task<bool> TryTakeAsync(SnapshotWhy why)
    {
        var file = string.Create(CultureInfo.InvariantCulture, $"{_taken + 1:0000}.nettrace");
        try
        {
            await TakeAsync(Path.Combine(_folder, file)).ConfigureAwait(false);
            _taken++;
            _moments.Add(new SnapshotMoment(Interlocked.Read(ref _endNs), GapNs, why, file));
            return true;
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            _lastFailure = e.Message;
            return false;
        }
    }

    private async Task TakeAsync(string path)
    {
        var (bytes, ended) = await TakeAsync(path, Open).ConfigureAwait(false);
        // To look into the file is to decode it.
        if (ended && !_pace.IsResting && OpenSsl.IsThere && !SnapshotMoment.HasStacks(path))
        {
            File.Delete(path);
            (bytes, _) = await TakeAsync(path, OpenAgain).ConfigureAwait(false);
        }

        Interlocked.Add(ref _bytes, bytes);
    }

    private async Task<(long Bytes, bool Ended)> TakeAsync(string path, TimeSpan open)
    {
        var clock = Stopwatch.StartNew();
        try
        {
            var recording = await EventPipeRecording.StartAsync(_client, SessionPlan.Snapshot(), path, Timeout, bytes => _size.TryTake(bytes, TableSize.OfStacks)).ConfigureAwait(false);
            await using (recording.ConfigureAwait(false))
            {
                await Task.Delay(open).ConfigureAwait(false);
                var ended = await recording.StopAsync(Timeout).ConfigureAwait(false);
                // A session that did not end in time has no end yet.
                Interlocked.Exchange(ref _endNs, recording.EndNs > 0 ? recording.EndNs : MonotonicClock.NowNs);
                return (recording.Bytes, ended);
            }
        }
        finally
        {
            _pace.Took(clock.Elapsed);
        }
    }
}
