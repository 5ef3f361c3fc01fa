using System.Text.Json;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Facts;

/// <summary>Finds the target's own assemblies from the files beside its entry assembly: the assemblies of its projects
/// in NAME.deps.json, and those with a PDB beside them that belong to no package.</summary>
internal static class OwnCode
{
    /// <summary>The most assemblies that are recorded.</summary>
    internal const int Most = 256;

    private const long LargestFile = 16L << 20;

    /// <summary>Returns the target's own assemblies, or null if no NAME.deps.json can be read, as for a single
    /// file.</summary>
    public static OwnInfo? Of(ProcFs proc, int pid)
    {
        var program = ProcessNames.ManagedProgram(proc.CommandLine(pid)) ?? proc.LinkTarget(pid, "exe");
        if (program is null)
        {
            return null;
        }

        var absolute = Path.Combine(proc.LinkTarget(pid, "cwd") ?? "/", program);
        var named = Path.GetExtension(absolute).ToUpperInvariant() is ".DLL" or ".EXE";
        var entry = named ? Path.GetFileNameWithoutExtension(absolute) : Path.GetFileName(absolute);
        var inOwnRoot = proc.PathOf(pid, "root") + Path.GetDirectoryName(absolute);
        var folder = Directory.Exists(inOwnRoot) ? inOwnRoot : proc.PathOf(Path.GetDirectoryName(absolute) ?? "/");
        return In(folder, entry);
    }

    internal static OwnInfo? In(string folder, string entry)
    {
        try
        {
            var file = new FileInfo(Path.Combine(folder, entry + ".deps.json"));
            if (!file.Exists || file.Length is 0 or > LargestFile)
            {
                return null;
            }

            var (own, others) = Assemblies(File.ReadAllBytes(file.FullName));
            own.Add(entry);
            own.UnionWith(Directory.EnumerateFiles(folder, "*.pdb").Select(pdb => Path.GetFileNameWithoutExtension(pdb))
                .Where(name => !others.Contains(name) && File.Exists(Path.Combine(folder, name + ".dll"))));
            return new OwnInfo(entry, [.. own.Order(StringComparer.Ordinal).Take(Most)]);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>Returns the assemblies of the application's projects, and those of packages and runtimes.</summary>
    private static (HashSet<string> Own, HashSet<string> Others) Assemblies(byte[] json)
    {
        var own = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        var others = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        using var document = JsonDocument.Parse(json, new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true });
        var types = Members(document.RootElement, "libraries").ToDictionary(
            library => library.Name, library => library.Value.TryGetProperty("type", out var type) ? type.GetString() : null);
        foreach (var library in Members(document.RootElement, "targets").SelectMany(target => target.Value.EnumerateObject()))
        {
            var type = types.GetValueOrDefault(library.Name);
            if (type is "project" or "package" or "runtimepack")
            {
                (type == "project" ? own : others).UnionWith(
                    Members(library.Value, "runtime").Concat(Members(library.Value, "runtimeTargets"))
                        .Select(file => Path.GetFileNameWithoutExtension(file.Name)));
            }
        }

        return (own, others);
    }

    private static JsonElement.ObjectEnumerator Members(JsonElement of, string name) =>
        of.TryGetProperty(name, out var found) ? found.EnumerateObject() : default;
}
