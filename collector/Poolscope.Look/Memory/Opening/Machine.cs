using System.Globalization;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Reads the states of threads and the load of the machine from the kernel.</summary>
public static class Machine
{
    /// <returns>The kernel's letter for the thread's state, such as R or S; null: the thread is gone.</returns>
    /// <param name="thread">The thread's id in the reader's pid namespace.</param>
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

    private const int Moments = 4;
    private static readonly TimeSpan Between = TimeSpan.FromMilliseconds(2);

    /// <summary>Returns whether a core was free at one of a few moments. One moment is not enough: threads of this
    /// process run too, and end soon.</summary>
    public static bool HasFreeCore()
    {
        for (var moment = 1; !(Runnable() < Environment.ProcessorCount); moment++)
        {
            if (moment == Moments)
            {
                return false;
            }

            Thread.Sleep(Between);
        }

        return true;
    }

    /// <returns>The number of threads that run or want to, without the reader's own; null: not known.</returns>
    public static int? Runnable()
    {
        try
        {
            // 0.20 0.18 0.12 1/80 11206: the number before the slash counts the runnable threads.
            var fields = File.ReadAllText("/proc/loadavg").Split(' ');
            return fields.Length > 3 && int.TryParse(fields[3].Split('/')[0], NumberStyles.None, CultureInfo.InvariantCulture, out var runnable) ? Math.Max(0, runnable - 1) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
