using System.Buffers.Binary;
using System.Globalization;
using Poolscope.Collect.Processes;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Schedstat;

/// <summary>The folder /proc/PID/task. Its link count shows the number of threads at the price of one system call. The
/// folder itself is listed only if that number differs from the known one.</summary>
internal sealed unsafe class ThreadFolder(ProcFs proc, int pid) : IDisposable
{
    // struct statx (linux/stat.h), the same on every architecture.
    private const int StatxBytes = 256;
    private const int LinksOffset = 16;

    /// <summary>The links without threads: one from the parent and one from the folder itself. Each thread adds
    /// one.</summary>
    private const int OwnLinks = 2;

    private readonly string _path = proc.PathOf(pid, "task");
    private readonly int _folder = Libc.OpenToRead(proc.PathOf(pid, "task"));

    /// <summary>Returns the number of threads, or -1 if it cannot be determined without listing them.</summary>
    public int Count()
    {
        var answer = stackalloc byte[StatxBytes];
        return Libc.TryStatLinks(_folder, answer)
            ? (int)BinaryPrimitives.ReadUInt32LittleEndian(new ReadOnlySpan<byte>(answer + LinksOffset, sizeof(uint))) - OwnLinks
            : -1;
    }

    public IReadOnlyList<int> List()
    {
        try
        {
            return [.. Directory.EnumerateDirectories(_path).Select(path => int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture))];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return []; // the process has ended
        }
    }

    public void Dispose() => _ = _folder < 0 ? 0 : Libc.Close(_folder);
}
