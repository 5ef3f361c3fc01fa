using System.Globalization;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>Lists the threads of a process.</summary>
internal static class ProcessThreads
{
    // A process that keeps creating threads shows new ones in every listing.
    private const int MostLooks = 10;

    /// <summary>Returns the threads of a process, in the order of their births. Every thread that lives throughout the
    /// call is included; some may have ended, and one born meanwhile may be missing. Empty if the process has
    /// ended.</summary>
    /// <remarks>The kernel's list ends early if the thread that it has reached ends (next_tid in fs/proc/base.c), and
    /// then lacks younger threads. So one listing is not enough: the last one must show nothing new.</remarks>
    internal static IReadOnlyList<int> Of(int pid) => Gathered(() => Ids($"/proc/{pid}/task"));

    /// <summary>Collects the ids of successive listings until one shows nothing new.</summary>
    internal static IReadOnlyList<int> Gathered(Func<IReadOnlyList<int>> look)
    {
        var found = new List<int>();
        var known = new HashSet<int>();
        var before = -1;
        for (var looks = 0; looks < MostLooks && found.Count > before; looks++)
        {
            before = found.Count;
            found.AddRange(look().Where(known.Add));
        }

        return found;
    }

    /// <summary>Returns the names of folders that are numbers: ids of processes, or of threads.</summary>
    internal static IReadOnlyList<int> Ids(string folder)
    {
        var ids = new List<int>();
        try
        {
            foreach (var path in Directory.EnumerateDirectories(folder))
            {
                if (int.TryParse(Path.GetFileName(path.AsSpan()), NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                {
                    ids.Add(id);
                }
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The process ended.
        }

        return ids;
    }
}
