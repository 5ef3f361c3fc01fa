using System.Diagnostics;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Snapshots;

namespace Poolscope.Collect.EventPipe;

/// <summary>Takes the stacks of all managed threads at random moments. Only they show code that blocks without an event
/// (Thread.Sleep, sockets, files). Each snapshot is a separate session of the sample profiler, open for some
/// milliseconds, in snapshots/NNNN.nettrace.</summary>
/// <remarks>The time from one random snapshot to the next is uniform between 0.5 and 1.5 gaps of the pace. With equal
/// times, items on a clock of their own (every half second, say) would always be seen in the same place, or never. The
/// analysis relies on this distribution. Its width equals its mean, so a snapshot's place in any period of a gap, or of
/// a whole fraction of one, is independent of the snapshot before. When the pace changes, the rest of the way to the
/// next snapshot runs at the new pace.</remarks>
public sealed class SnapshotRecorder : IAsyncDisposable
{
    /// <summary>The time that a session is open. The profiler samples every millisecond and suspends the runtime
    /// meanwhile. One sample is enough: in this time the sampling thread starts and takes its first.</summary>
    private static readonly TimeSpan Open = TimeSpan.FromMilliseconds(3);

    /// <summary>The same for a snapshot that is taken again because the sampling thread had no core in time. In 312
    /// recordings of the zoo that happened to 1 % of the snapshots on .NET 10, 2 % on 8 and 9, and 4 % on 11, most
    /// often at moments without a free core.</summary>
    private static readonly TimeSpan OpenAgain = TimeSpan.FromMilliseconds(15);

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(2);

    /// <summary>The time from one check of the pace to the next.</summary>
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    /// <summary>The failures in a row that end the recorder: the process hangs or refuses.</summary>
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

    /// <summary>The start of the recorder, in CLOCK_MONOTONIC ns.</summary>
    public long StartNs { get; }

    /// <summary>The bytes of all snapshots so far.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>The reason why there are no snapshots, or no more, or null if nothing failed.</summary>
    public string? Failure { get; private set; }

    /// <param name="atStart">Whether to take one at once, which shows the threads of a running process that are inside
    /// a work item.</param>
    /// <param name="moments">Receives the moments, or null to write them to the capture's folder.</param>
    internal static SnapshotRecorder Start(
        DiagnosticsClient client, string captureFolder, SnapshotPace pace, SizeLimit size, bool atStart, ISnapshotMoments? moments = null) =>
        new(client, captureFolder, pace, size, atStart, moments ?? new SnapshotMoments(captureFolder));

    /// <summary>Describes all snapshots as one stream, for the manifest.</summary>
    public StreamInfo Describe() => new(SessionPlan.SnapshotsFolder, "eventpipe", StartNs, Interlocked.Read(ref _endNs), Bytes);

    /// <summary>Takes no more random snapshots, but finishes one that is under way.</summary>
    /// <param name="takeLast">Whether to take one more now, which shows the code that holds the threads at the
    /// end.</param>
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
                    left += 0.5 + Random.Shared.NextDouble(); // snapshots that fell due meanwhile are skipped
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

    /// <returns>False if the snapshot failed.</returns>
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
        // Reading the file means decoding it.
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
