using System.Globalization;

namespace Poolscope.Look.Memory.Opening;

/// <summary>What the kernel says of threads, and of the machine beside the process.</summary>
internal static class Machine
{
    /// <returns>The kernel's letter for what a thread does, such as R or S; null: it is gone.</returns>
    /// <param name="thread">Its number here.</param>
    public static string? State(int pid, uint thread)
    {
        try
        {
            var stat = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/task/{thread}/stat"));
            return stat.LastIndexOf(')') is var end and > 0 && end + 2 < stat.Length ? stat[end + 2].ToString() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <returns>Threads that run or want to, the reader's own left out; null: not told.</returns>
    public static int? Runnable()
    {
        try
        {
            // 0.20 0.18 0.12 1/80 11206: the fourth field has the runnable ones before the slash.
            var fields = File.ReadAllText("/proc/loadavg").Split(' ');
            return fields.Length > 3 && int.TryParse(fields[3].Split('/')[0], NumberStyles.None, CultureInfo.InvariantCulture, out var runnable) ? Math.Max(0, runnable - 1) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
