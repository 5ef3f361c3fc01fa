using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Watching;

/// <summary>A recording that is kept if something happens, and thrown away else.</summary>
internal sealed class RingRecording : IAsyncDisposable
{
    private readonly CaptureFolder _folder;
    private readonly CaptureRecorder _recorder;
    private readonly StopRequest _stop = new();

    private RingRecording(CaptureFolder folder, CaptureRecorder recorder)
    {
        (_folder, _recorder) = (folder, recorder);
        StartNs = MonotonicClock.NowNs;
        Ended = recorder.WaitForStopAsync(_stop, _ => { });
    }

    /// <summary>All its streams were open; CLOCK_MONOTONIC ns.</summary>
    public long StartNs { get; }

    public string Folder => _folder.FullPath;

    public long Bytes => _recorder.Progress.Bytes;

    public IReadOnlyList<Refusal> Refused => _recorder.Refused;

    /// <summary>Why a file could not be written; null: none failed.</summary>
    public string? WriteFailure => _recorder.WriteFailure;

    /// <summary>Completes where it ends by itself: one of <see cref="StopReason"/>, null where a file could not be written.</summary>
    public Task<string?> Ended { get; }

    public TimeSpan Age(long nowNs) => TimeSpan.FromTicks((nowNs - StartNs) / TimeSpan.NanosecondsPerTick);

    /// <param name="plan">Of a folder in a folder of captures; given the new one's path.</param>
    /// <exception cref="Errors.CommandException">There can be none; nothing is left of it.</exception>
    public static async Task<RingRecording> StartAsync(string path, Func<string, RecordingPlan> plan, ProcFs proc)
    {
        var folder = CaptureFolder.Create(path);
        try
        {
            return new RingRecording(folder, await CaptureRecorder.StartAsync(plan(folder.FullPath), proc).ConfigureAwait(false));
        }
        catch
        {
            folder.Discard();
            throw;
        }
    }

    /// <summary>Ends it and writes its manifest.</summary>
    /// <exception cref="Errors.CommandException">A file cannot be written.</exception>
    public async Task<CaptureManifest> KeepAsync()
    {
        _stop.Request(System.Runtime.InteropServices.PosixSignal.SIGTERM);
        var reason = await Ended.ConfigureAwait(false);
        try
        {
            // As long as it was to be: the wish to stop is this program's own.
            return await _recorder.StopAsync(reason == StopReason.Signal ? StopReason.Duration : reason).ConfigureAwait(false);
        }
        finally
        {
            await DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Ends it and leaves nothing of it.</summary>
    public async Task DropAsync()
    {
        _stop.Request(System.Runtime.InteropServices.PosixSignal.SIGTERM);
        try
        {
            await Ended.ConfigureAwait(false);
            await _recorder.DropAsync().ConfigureAwait(false);
        }
        finally
        {
            await DisposeAsync().ConfigureAwait(false);
            Discard();
        }
    }

    /// <summary>Leaves nothing of what was ended.</summary>
    public void Discard() => _folder.Discard();

    /// <summary>Closes what is open; twice does no harm.</summary>
    public async ValueTask DisposeAsync()
    {
        await _recorder.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }
}
