using System.Globalization;

namespace Poolscope.Look.Memory;

/// <summary>What the machine does beside the process.</summary>
internal static class Machine
{
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
