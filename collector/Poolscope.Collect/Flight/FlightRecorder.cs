using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Files;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Segments;

namespace Poolscope.Collect.Flight;

/// <summary>Records a process without an end, in slots, and deletes the oldest ones. Consecutive slots make a capture
/// without a seam, while recording goes on.</summary>
internal sealed class FlightRecorder : IAsyncDisposable
{
    /// <summary>The time without data after which a stream has been flushed: five flush intervals.</summary>
    private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(500);

    private readonly ProcFs _proc;
    private readonly Func<string> _nextFolder;
    private readonly List<RecorderSlot> _ended = [];
    private readonly List<Refusal> _refused = [];

    // The reason why the kernel stream is gone.
    private string? _kernelGone;

    // The counts at the start of the current slot.
    private long _runtimeBefore;
    private long _waitsBefore;
    private long _eventsBefore;

    private FlightRecorder(RecordingPlan plan, ProcFs proc, Func<string> nextFolder, RecorderSlot slot, FlightStreams streams) =>
        (Plan, _proc, _nextFolder, Current, Streams) = (plan, proc, nextFolder, slot, streams);

    public RecordingPlan Plan { get; }

    public FlightStreams Streams { get; }

    /// <summary>The kernel stream, or null if none is wanted or available.</summary>
    public IKernelStream? Kernel { get; private set; }

    public IReadOnlyList<Refusal> Refused => [.. _refused, .. Streams.Refused];

    /// <summary>The slots that have ended, the oldest first.</summary>
    public IReadOnlyList<RecorderSlot> Ended => _ended;

    /// <summary>The slot that is being recorded.</summary>
    public RecorderSlot Current { get; private set; }

    /// <summary>The reason why a stream can no longer be written, or null if all can.</summary>
    public string? WriteFailure => Streams.WriteFailure ?? KernelFailure;

    /// <summary>The size of the current slot, with the tables that it would give, in bytes.</summary>
    public long CostOfCurrent
    {
        get
        {
            var (runtime, waits) = (Streams.Tape.Bytes - _runtimeBefore, (Streams.WaitsTape?.Bytes ?? 0) - _waitsBefore);
            return Kernel is { Progress: var progress } kernel
                ? Weigh(runtime, waits, progress.Bytes, progress.Events - _eventsBefore, kernel.Tier)
                : Weigh(runtime, waits, 0, 0, "");
        }
    }

    private string? KernelFailure => Kernel is null ? _kernelGone
        : Kernel.Failure ?? (Kernel.Progress.ReachedMaxBytes ? "the kernel's events came faster than they could be cut" : null);

    /// <summary>Starts the recording.</summary>
    /// <param name="nextFolder">Returns the folder of the next slot, which does not exist yet.</param>
    /// <exception cref="CommandException">A required kernel stream was refused.</exception>
    /// <exception cref="Exception">The process refused (<see cref="DiagnosticErrors"/>), or a folder cannot be
    /// written.</exception>
    public static async Task<FlightRecorder> StartAsync(RecordingPlan plan, DiagnosticsClient client, ProcFs proc, Func<string> nextFolder)
    {
        var slot = new RecorderSlot(nextFolder(), proc, plan.Pid);
        try
        {
            var streams = await FlightStreams.StartAsync(plan, client, slot.Folder).ConfigureAwait(false);
            var recorder = new FlightRecorder(plan, proc, nextFolder, slot, streams);
            try
            {
                recorder.StartKernel(slot.Folder);
                await streams.AddOthersAsync(plan, client, slot.Folder).ConfigureAwait(false);
                return recorder;
            }
            catch
            {
                await recorder.DisposeAsync().ConfigureAwait(false);
                throw;
            }
        }
        catch
        {
            slot.Discard();
            throw;
        }
    }

    /// <summary>Cuts the streams that are quiet. The caller calls it about ten times a second.</summary>
    public void Tick()
    {
        Streams.Tape.CutIfQuiet(Quiet);
        Streams.WaitsTape?.CutIfQuiet(Quiet);
    }

    /// <summary>Ends the current slot and begins the next one, in a tenth of a second or two. Only one call may run at
    /// a time.</summary>
    /// <param name="last">Whether a capture ends with the slot.</param>
    /// <returns>False if a part of the slot could not be written. The slot is then deleted.</returns>
    /// <exception cref="IOException">The next slot cannot be created, or the kernel's stream has ended.</exception>
    public async Task<bool> RotateAsync(bool last = false)
    {
        var ending = Current;
        ending.Dispose(); // so its readings are older than all of the next slot's
        var next = new RecorderSlot(_nextFolder(), _proc, Plan.Pid);

        // A capture must show what ran at each of its runtime events. So the kernel's stream is cut first at the start
        // of a slot, and last at the end of a capture.
        if (!last)
        {
            CutKernel(ending, next);
        }

        var (tape, waitsTape) = (Streams.Tape, Streams.WaitsTape);
        var runtime = tape.CutAsync(Path.Combine(next.Folder, RecorderSlot.RuntimeFile));
        var waits = waitsTape?.CutAsync(Path.Combine(next.Folder, RecorderSlot.WaitsFile));
        (Current, _runtimeBefore, _waitsBefore) = (next, tape.Bytes, waitsTape?.Bytes ?? 0);
        ending.Runtime = await OrLastAsync(runtime, tape, Streams.Follower.Ended).ConfigureAwait(false);
        ending.Waits = waits is null ? null : await OrLastAsync(waits, waitsTape!, Streams.WaitsEnded).ConfigureAwait(false);
        if (last)
        {
            CutKernel(ending, next);
        }

        if (ending.Runtime is null || (waits is not null && ending.Waits is null))
        {
            ending.Discard();
            return false;
        }

        _ended.Add(ending);
        return true;
    }

    /// <summary>Deletes the oldest slot that has ended.</summary>
    public void DropOldest()
    {
        _ended[0].Discard();
        _ended.RemoveAt(0);
        var start = _ended is [var first, ..] ? first.StartNs : Current.BeganNs;
        Streams.Snapshots.Forget(start);
        Streams.Counters.Forget(start);
    }

    /// <summary>Deletes all that was recorded and goes on recording, because a failed write left a gap.</summary>
    /// <exception cref="IOException">Writing still fails.</exception>
    public async Task StartAnewAsync()
    {
        DropAll();
        if (KernelFailure is { } failure)
        {
            _kernelGone = failure;
            Kernel?.Dispose();
            Kernel = null;
            var folder = _nextFolder();
            PrivateFiles.CreateFolder(folder);
            StartKernel(folder);
            _kernelGone = null;
        }

        _ = await RotateAsync().ConfigureAwait(false);
        DropAll();
    }

    public async ValueTask DisposeAsync()
    {
        await Streams.DisposeAsync().ConfigureAwait(false);
        Kernel?.Dispose();
        DropAll();
        Current.Discard();
    }

    internal static long CostOf(RecorderSlot slot, string tier) =>
        Weigh(slot.Runtime?.Bytes ?? 0, slot.Waits?.Bytes ?? 0, slot.Kernel?.Bytes ?? 0, slot.Kernel?.Events ?? 0, tier);

    private static long Weigh(long runtime, long waits, long kernel, long events, string tier) =>
        (long)((runtime * (1 + TableSize.OfRuntime)) + (waits * (1 + TableSize.OfStacks)) + kernel + TableSize.OfKernel(kernel, events, tier));

    /// <summary>Returns the cut segment, or the last one if the stream ends before it can be cut.</summary>
    private static async Task<NettraceSegment?> OrLastAsync(Task<NettraceSegment?> cut, NettraceTape tape, Task ended)
    {
        _ = await Task.WhenAny(cut, ended).ConfigureAwait(false);
        return cut.IsCompletedSuccessfully ? await cut.ConfigureAwait(false) : tape.End();
    }

    private void CutKernel(RecorderSlot ending, RecorderSlot next)
    {
        try
        {
            ending.Kernel = Kernel?.Cut(next.Folder);
        }
        catch
        {
            (Current == ending ? next : ending).Discard();
            throw;
        }

        _eventsBefore += ending.Kernel?.Events ?? 0;
        KernelStreams.NoteConnections(Plan, next.Folder, Kernel);
    }

    private void StartKernel(string folder)
    {
        Kernel = KernelStreams.Start(Plan with { Folder = folder }, new SizeLimit(Plan.MaxBytes, Plan.Tables).MostOfKernel, _refused);
        KernelStreams.NoteConnections(Plan, folder, Kernel);
        _eventsBefore = 0;
    }

    private void DropAll()
    {
        while (_ended.Count > 0)
        {
            DropOldest();
        }
    }
}
