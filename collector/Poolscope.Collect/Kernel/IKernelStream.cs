namespace Poolscope.Collect.Kernel;

/// <summary>A running recording of the kernel's scheduler. Disposing stops it.</summary>
public interface IKernelStream : IDisposable
{
    /// <summary>File name in the capture folder.</summary>
    string FileName { get; }

    /// <summary>The tier, as <c>streams[].tier</c> of capture.json names it.</summary>
    string Tier { get; }

    /// <summary>CLOCK_MONOTONIC ns.</summary>
    long StartNs { get; }

    KernelProgress Progress { get; }

    /// <summary>From one look at the threads to the next; null: every event is recorded.</summary>
    TimeSpan? PollStep => null;

    /// <summary>As <c>streams[].scope</c> of capture.json; null: the tier sees the target alone.</summary>
    string? Scope => null;

    /// <summary>Why it has no events of sockets though they were asked for; null: it has them, or cannot have them.</summary>
    string? SocketsRefused => null;

    /// <summary>Why it ended before it was stopped; null: it did not.</summary>
    string? Failure { get; }

    /// <summary>Writes what is left and ends the file; again: nothing.</summary>
    void Stop();

    /// <summary>Goes over to a file in another folder, without a gap, for a recording that has no end.</summary>
    /// <returns>What was recorded since the cut before.</returns>
    /// <exception cref="IOException">It cannot be written, or the stream has ended.</exception>
    KernelSegment Cut(string folder) => throw new NotSupportedException();

    /// <summary>Makes one stream, as <see cref="Stop"/> leaves it, of segments that follow one another.</summary>
    /// <param name="folder">Of a capture.</param>
    /// <param name="segments">At least one, in order of time.</param>
    /// <returns>Size of the file, bytes.</returns>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    Task<long> JoinAsync(string folder, IReadOnlyList<KernelSegment> segments) => throw new NotSupportedException();
}

/// <summary>A part of a kernel stream, in a file of its own.</summary>
/// <param name="StartNs">CLOCK_MONOTONIC ns from which on everything is in it or in a later one.</param>
/// <param name="EndNs">Up to here everything is in it, or in an earlier one.</param>
/// <param name="Content">For the stream that made it.</param>
public sealed record KernelSegment(long StartNs, long EndNs, long Bytes, long Events, long Lost, object Content);

/// <param name="ReachedMaxBytes">It stopped itself at the size it was given.</param>
/// <param name="CpuNs">CPU time that the recording threads have used, as of a moment ago; exact once stopped.</param>
public readonly record struct KernelProgress(long Events, long Bytes, long Lost, bool ReachedMaxBytes, long CpuNs)
{
    /// <summary>How long the recording waited for the disk, with all its buffers full.</summary>
    public long StalledNs { get; init; }
}

/// <param name="Folder">Of the capture; existing.</param>
/// <param name="MaxBytes">Size at which the stream stops itself.</param>
/// <param name="PollStep">For a tier that polls.</param>
/// <param name="OnlyTarget">A tier that sees all processes is to keep the target's events only.</param>
/// <param name="Sockets">A tier that can record TCP sockets is to do so.</param>
public sealed record KernelRequest(string Folder, long MaxBytes, int TargetPid, TimeSpan PollStep, bool OnlyTarget, bool Sockets);

/// <summary>A way to record the scheduler.</summary>
public interface IKernelTier
{
    /// <summary>As the option --kernel and the manifest name it.</summary>
    string Name { get; }

    /// <summary>Whether it could be had, found out without recording.</summary>
    /// <param name="pid">For this process; null: for one of the same user.</param>
    KernelAccess Probe(int? pid);

    /// <exception cref="KernelRefusedException">The kernel does not allow it.</exception>
    IKernelStream Start(KernelRequest request);
}

/// <param name="Why">What stands in the way, or what was tried.</param>
/// <param name="How">What would allow it; empty when nothing stands in the way.</param>
public readonly record struct KernelAccess(bool Available, string Why, string How);

/// <summary>The kernel does not allow a stream.</summary>
public sealed class KernelRefusedException(string why, string how, Exception? inner = null) : Exception(why, inner)
{
    public string Why { get; } = why;

    public string How { get; } = how;
}
