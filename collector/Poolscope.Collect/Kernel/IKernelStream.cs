namespace Poolscope.Collect.Kernel;

/// <summary>A running recording of the kernel's scheduler. Disposing it stops the recording.</summary>
public interface IKernelStream : IDisposable
{
    /// <summary>The file name in the capture folder.</summary>
    string FileName { get; }

    /// <summary>The tier, as <c>streams[].tier</c> of capture.json names it.</summary>
    string Tier { get; }

    /// <summary>The start of the recording, in CLOCK_MONOTONIC ns.</summary>
    long StartNs { get; }

    KernelProgress Progress { get; }

    /// <summary>The time from one poll of the threads to the next, or null if every event is recorded.</summary>
    TimeSpan? PollStep => null;

    /// <summary>The scope, as in <c>streams[].scope</c> of capture.json; null if it is always the target.</summary>
    string? Scope => null;

    /// <summary>The reason why requested socket events are missing, or null if none are missing or the tier never has
    /// them.</summary>
    string? SocketsRefused => null;

    /// <summary>The reason why the recording ended before it was stopped, or null if it did not.</summary>
    string? Failure { get; }

    /// <summary>Writes the remaining events and ends the file. A second call does nothing.</summary>
    void Stop();

    /// <summary>Continues in a file in another folder, without a gap, for a recording that has no end.</summary>
    /// <returns>The part recorded since the previous cut.</returns>
    /// <exception cref="IOException">The file cannot be written, or the stream has ended.</exception>
    KernelSegment Cut(string folder) => throw new NotSupportedException();

    /// <summary>Joins consecutive segments into one stream, as <see cref="Stop"/> leaves it.</summary>
    /// <param name="folder">The folder of a capture.</param>
    /// <param name="segments">At least one segment, in order of time.</param>
    /// <returns>The size of the file, in bytes.</returns>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    Task<long> JoinAsync(string folder, IReadOnlyList<KernelSegment> segments) => throw new NotSupportedException();
}

/// <summary>A part of a kernel stream, in a separate file.</summary>
/// <param name="StartNs">The time in CLOCK_MONOTONIC ns from which all events are in this part or in a later
/// one.</param>
/// <param name="EndNs">The time up to which all events are in this part or in an earlier one.</param>
/// <param name="Content">Data for the stream that made the part.</param>
public sealed record KernelSegment(long StartNs, long EndNs, long Bytes, long Events, long Lost, object Content);

/// <param name="ReachedMaxBytes">Whether the recording stopped itself at its size limit.</param>
/// <param name="CpuNs">The CPU time of the recording threads, as of a moment ago; exact once it is stopped.</param>
public readonly record struct KernelProgress(long Events, long Bytes, long Lost, bool ReachedMaxBytes, long CpuNs)
{
    /// <summary>The time for which the recording waited for the disk, with all its buffers full.</summary>
    public long StalledNs { get; init; }
}

/// <param name="Folder">The existing folder of the capture.</param>
/// <param name="MaxBytes">The size at which the stream stops itself.</param>
/// <param name="PollStep">The time between two polls, for a tier that polls.</param>
/// <param name="OnlyTarget">Whether a tier that sees all processes keeps only the target's events.</param>
/// <param name="Sockets">Whether a tier that can record TCP sockets does so.</param>
public sealed record KernelRequest(string Folder, long MaxBytes, int TargetPid, TimeSpan PollStep, bool OnlyTarget, bool Sockets);

/// <summary>A way to record the scheduler.</summary>
public interface IKernelTier
{
    /// <summary>The name in the option --kernel and in the manifest.</summary>
    string Name { get; }

    /// <summary>Checks whether the tier is available, without recording.</summary>
    /// <param name="pid">The process to record, or null for any process of the same user.</param>
    KernelAccess Probe(int? pid);

    /// <exception cref="KernelRefusedException">The kernel does not allow it.</exception>
    IKernelStream Start(KernelRequest request);
}

/// <param name="Why">The reason why the tier is unavailable, or the attempt that succeeded.</param>
/// <param name="How">The step that would make the tier available; empty if it is.</param>
public readonly record struct KernelAccess(bool Available, string Why, string How);

/// <summary>The error of a stream that the kernel does not allow.</summary>
public sealed class KernelRefusedException(string why, string how, Exception? inner = null) : Exception(why, inner)
{
    public string Why { get; } = why;

    public string How { get; } = how;
}
