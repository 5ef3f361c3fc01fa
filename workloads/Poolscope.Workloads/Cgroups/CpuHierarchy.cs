namespace Poolscope.Workloads.Cgroups;

/// <summary>The place of this process's cgroup in a hierarchy with a CPU controller.</summary>
/// <param name="Own">Folder of the cgroup.</param>
/// <param name="Parent">Folder in which this process can create a group.</param>
/// <param name="Unified">Whether this is cgroup v2.</param>
internal sealed record CpuHierarchy(string Own, string Parent, bool Unified)
{
    /// <returns>Null if no hierarchy with a CPU controller is mounted here, or none that lends it to
    /// children.</returns>
    /// <remarks>/proc/self/cgroup has `id:controllers:path`, and `0::path` for v2; /proc/self/mountinfo (proc(5)) has the
    /// mounted root as field 4, the mount point as field 5, and after ` - ` file system, source, options.</remarks>
    public static CpuHierarchy? Find(IEnumerable<string> cgroup, IEnumerable<string> mounts, Func<string, bool> lendsCpu)
    {
        var paths = cgroup.Select(l => l.Split(':', 3)).Where(f => f.Length == 3).ToList();
        var mounted = mounts.Select(Mount.Parse).OfType<Mount>().ToList();
        if (paths.FirstOrDefault(f => f[1].Split(',').Contains("cpu")) is { } legacy
            && mounted.FirstOrDefault(m => m.Type == "cgroup" && m.Options.Contains("cpu")) is { } v1)
        {
            var own = v1.FolderOf(legacy[2]);
            return new CpuHierarchy(own, own, Unified: false);
        }

        if (paths.FirstOrDefault(f => f[0] == "0") is not { } unified
            || mounted.FirstOrDefault(m => m.Type == "cgroup2") is not { } v2)
        {
            return null;
        }

        // A group that holds processes (except the root) lends no controller to its children, so the new group is a
        // sibling of this one or of an ancestor.
        var folder = v2.FolderOf(unified[2]);
        for (var parent = folder; parent is not null && parent.StartsWith(v2.Point, StringComparison.Ordinal);
             parent = Path.GetDirectoryName(parent))
        {
            if (lendsCpu(parent))
            {
                return new CpuHierarchy(folder, parent, Unified: true);
            }
        }

        return null;
    }

    private sealed record Mount(string Root, string Point, string Type, string[] Options)
    {
        public static Mount? Parse(string line)
        {
            var halves = line.Split(" - ", 2);
            if (halves.Length < 2)
            {
                return null;
            }

            var place = halves[0].Split(' ');
            var what = halves[1].Split(' ');
            return place.Length < 5 || what.Length < 3 ? null : new Mount(place[3], place[4], what[0], what[2].Split(','));
        }

        /// <summary>Returns the folder of a cgroup. A container may have mounted only its own part of the
        /// tree.</summary>
        public string FolderOf(string path)
        {
            var below = Root != "/" && path.StartsWith(Root, StringComparison.Ordinal) ? path[Root.Length..] : path;
            return Path.TrimEndingDirectorySeparator(Path.Join(Point, below));
        }
    }
}
