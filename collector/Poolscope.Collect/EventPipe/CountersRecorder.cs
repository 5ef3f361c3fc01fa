using System.Net.Sockets;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Files;
using Poolscope.Decode.Counters;
using Poolscope.Decode.Live;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Readings;

namespace Poolscope.Collect.EventPipe;

/// <summary>Writes the runtime's own counters at a beat. A pool whose threads were all blocked before the capture logs
/// no enqueue, so only the counters show its queue. The runtime reads them on a separate thread, so a starved pool
/// reports them too.</summary>
public sealed class CountersRecorder : IAsyncDisposable
{
    /// <summary>The time between two readings. The first comes a beat after the session begins, the last up to a beat
    /// before its end.</summary>
    public static readonly TimeSpan Beat = TimeSpan.FromSeconds(0.5);

    private readonly EventPipeSession _session;
    private readonly StreamWriter _file;
    private readonly Task _reading;
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CounterReading _latest;
    private long _readings;
    private long _bytes;
    private long _endNs;

    private CountersRecorder(EventPipeSession session, StreamWriter file)
    {
        (_session, _file) = (session, file);
        _reading = Task.Factory.StartNew(Read, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>The time when the runtime had opened the session, in CLOCK_MONOTONIC ns.</summary>
    public long StartNs { get; } = MonotonicClock.NowNs;

    /// <summary>The latest reading, or null if there is none yet.</summary>
    public CounterReading? Latest
    {
        get
        {
            lock (_file)
            {
                return _readings > 0 ? _latest : null;
            }
        }
    }

    /// <summary>Completes when the runtime has taken the first reading: at once, or on .NET 11 after a beat. It waits
    /// for 1.2 beats at most, because the reading may still be on its way.</summary>
    public Task FirstTaken()
    {
        var left = TimeSpan.FromTicks((StartNs - MonotonicClock.NowNs) / TimeSpan.NanosecondsPerTick) + (1.2 * Beat);
        return left > TimeSpan.Zero ? Task.WhenAny(_first.Task, Task.Delay(left)) : Task.CompletedTask;
    }

    public long Bytes => Interlocked.Read(ref _bytes);

    /// <exception cref="TimeoutException">The process did not answer.</exception>
    /// <exception cref="DiagnosticsClientException">The process refused, or is gone.</exception>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public static async Task<CountersRecorder> StartAsync(DiagnosticsClient client, string captureFolder, TimeSpan timeout)
    {
        var session = await EventPipeRecording.OpenAsync(client, SessionPlan.Counters(Beat), timeout).ConfigureAwait(false);
        try
        {
            var file = PrivateFiles.CreateText(Path.Combine(captureFolder, CountersStream.FileName));
            file.WriteLine(CountersStream.Header);
            return new CountersRecorder(session, file);
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>Describes the stream for the manifest, after <see cref="StopAsync"/>.</summary>
    public StreamInfo Describe() => new(CountersStream.FileName, "polled", StartNs, EndNs, Bytes)
    {
        PollStepNs = Beat.Ticks * TimeSpan.NanosecondsPerTick,
    };

    /// <summary>The end of the stream. A slow target takes readings while it ends the session, so the stream ends no
    /// earlier than the last reading.</summary>
    private long EndNs => Math.Max(Interlocked.Read(ref _endNs), Latest?.TimeNs ?? 0);

    /// <summary>Ends the session. Readings that do not arrive in time are lost.</summary>
    public async Task StopAsync(TimeSpan timeout)
    {
        Interlocked.CompareExchange(ref _endNs, MonotonicClock.NowNs, 0);
        using var cancel = new CancellationTokenSource(timeout);
        try
        {
            await _session.StopAsync(cancel.Token).WaitAsync(timeout).ConfigureAwait(false);
            await _reading.WaitAsync(timeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // The process is gone or hangs. The readings that arrived are written.
        }
    }

    public async ValueTask DisposeAsync()
    {
        _session.Dispose();
        await _reading.ConfigureAwait(false);
        await _file.DisposeAsync().ConfigureAwait(false);
    }

    private void Read()
    {
        try
        {
            LiveCounters.Read(_session.EventStream, Add);
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The connection or the disk failed. A capture is no worse without the rest.
        }
        finally
        {
            _first.TrySetResult();
        }
    }

    private void Add(CounterReading reading)
    {
        var line = CountersStream.Line(reading);
        lock (_file)
        {
            (_latest, _readings) = (reading, _readings + 1);
        }

        _file.WriteLine(line);
        Interlocked.Add(ref _bytes, line.Length + 1);
        _first.TrySetResult();
    }
}
