using System.Globalization;

namespace Poolscope.PerfEvents.Capture.Writing;

/// <summary>The threads that a process has.</summary>
internal static class ProcessThreads
{
    // A process that creates threads all the time always shows new ones.
    private const int MostLooks = 10;

    /// <summary>Those that live all the while are all there, in the order of their births; some may have ended, and one that is
    /// born meanwhile may be missing. None: the process has ended.</summary>
    /// <remarks>The kernel's list ends early when the thread that it has come to ends (next_tid in fs/proc/base.c), and then
    /// lacks younger ones. So one look is not enough: the last one has shown nothing new.</remarks>
    internal static IReadOnlyList<int> Of(int pid) => Gathered(() => Ids($"/proc/{pid}/task"));

    /// <summary>What looks show, one after the other, until one shows nothing new.</summary>
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

    /// <summary>Folders whose names are numbers: of processes, or of threads.</summary>
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
