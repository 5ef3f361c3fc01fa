using System.Globalization;
using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory;

/// <summary>Reads the stacks of threads. The process runs meanwhile: a thread that ends while its stack is walked can end the reader.</summary>
internal static class ThreadReader
{
    private const int PoolThread = 0x0100_0000; // TS_TPWorkerThread

    /// <summary>The threads, those of the pool first, without those of the runtime that run no managed code.</summary>
    public static IReadOnlyList<ClrThread> Of(ClrRuntime runtime, LookLimits limits) =>
        [.. runtime.Threads.Take(limits.Threads).Where(thread => thread.IsAlive && !thread.IsFinalizer && !thread.IsGc).OrderByDescending(IsPool)];

    public static ThreadLine Read(ClrThread thread, LookLimits limits, int? pid)
    {
        var state = State(pid, thread.OSThreadId);
        List<string> frames = [];
        foreach (var frame in thread.EnumerateStackTrace(false, limits.Frames))
        {
            if (frame.Method is { Type: { } type } method)
            {
                var written = $"{Path.GetFileNameWithoutExtension(type.Module?.Name)}!{WrittenName.Of($"{type.Name}.{method.Name}")}";

                // A call out of managed code shows the same method once more.
                if (frames.Count == 0 || frames[^1] != written)
                {
                    frames.Add(written);
                }
            }
        }

        return new ThreadLine(thread.OSThreadId, thread.ManagedThreadId, IsPool(thread), state, thread.GCMode == GCMode.Preemptive, frames);
    }

    private static bool IsPool(ClrThread thread) => ((int)thread.State & PoolThread) != 0;

    private static string? State(int? pid, uint osId)
    {
        try
        {
            var stat = pid is { } id ? File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/task/{osId}/stat")) : "";
            return stat.LastIndexOf(')') is var end and > 0 && end + 2 < stat.Length ? stat[end + 2].ToString() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
