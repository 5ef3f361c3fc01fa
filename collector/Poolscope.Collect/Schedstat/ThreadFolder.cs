using System.Buffers.Binary;
using System.Globalization;
using Poolscope.Collect.Processes;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Schedstat;

/// <summary>/proc/PID/task. Its link count shows the number of threads at the price of one system call; the folder itself is
/// listed only when that number is not the known one.</summary>
internal sealed unsafe class ThreadFolder(ProcFs proc, int pid) : IDisposable
{
    // struct statx (linux/stat.h), the same on every architecture.
    private const int StatxBytes = 256;
    private const int LinksOffset = 16;

    /// <summary>A folder has a link from its parent and one from itself; the kernel adds one per thread.</summary>
    private const int OwnLinks = 2;

    private readonly string _path = proc.PathOf(pid, "task");
    private readonly int _folder = Libc.OpenToRead(proc.PathOf(pid, "task"));

    /// <summary>Number of threads; -1: it cannot be determined without listing them.</summary>
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
