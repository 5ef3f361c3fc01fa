using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Finds the library that knows the memory layout of one build of the runtime (the DAC).</summary>
internal static class DacLocator
{
    public const string Library = "libmscordaccore.so";
    private const string Core = "libcoreclr.so";

    /// <param name="given">The path that the user gives, or null.</param>
    /// <param name="pid">The process, whose paths are those of its own mount namespace; null for a dump.</param>
    /// <param name="version">The version of the runtime; null: not known.</param>
    /// <exception cref="LookException">There is no library of this build. The message names the package that contains
    /// it.</exception>
    public static string Find(ClrInfo clr, string? given, int? pid, string? version)
    {
        if (given is not null)
        {
            return Given(clr, given, version);
        }

        if (clr.BuildId.IsDefaultOrEmpty && !clr.IsSingleFile)
        {
            throw new LookException($"the runtime's own memory cannot be read ({clr.ModuleInfo.FileName}){(pid is null ? ": the dump was cut short" : "")}");
        }

        var folder = Path.GetDirectoryName(clr.ModuleInfo.FileName) ?? "/";
        string[] candidates = pid is { } id ? [$"/proc/{id}/root{folder}/{Library}"] : [Path.Combine(folder, Library)];
        return candidates.Concat(Installed(version)).FirstOrDefault(file => File.Exists(file) && (clr.IsSingleFile || IsOf(clr, file)))
            ?? throw new LookException(
                $"no {Library} of the same build as the {(pid is null ? "dump" : "process")}'s runtime is here ({clr.ModuleInfo.FileName}): {Advice(version)}");
    }

    private static string Given(ClrInfo clr, string file, string? version)
    {
        if (!File.Exists(file))
        {
            throw new LookException($"--dac {file}: there is no such file");
        }

        // The build of a library that is alone in its folder cannot be checked: the user decides.
        var core = Path.Combine(Path.GetDirectoryName(Path.GetFullPath(file))!, Core);
        return clr.IsSingleFile || !File.Exists(core) || IsOf(clr, file)
            ? file
            : throw new LookException($"--dac {file}: it belongs to another build of the runtime: {Advice(version)}");
    }

    /// <summary>Returns whether the runtime's library beside a file is the one that was loaded, and not one from a
    /// later update.</summary>
    private static bool IsOf(ClrInfo clr, string file) =>
        clr.BuildId is { IsDefaultOrEmpty: false } wanted
        && ElfBuildId.Of(Path.Combine(Path.GetDirectoryName(file)!, Core)).AsSpan().SequenceEqual(wanted.AsSpan());

    private static string Advice(string? version) =>
        $"take it from the NuGet package Microsoft.NETCore.App.Runtime.linux-{RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant()}"
        + $"{(version is null ? " of the runtime's version" : $" {version}")}, and name it with --dac";

    private static IEnumerable<string> Installed(string? version)
    {
        string?[] roots = [Environment.GetEnvironmentVariable("DOTNET_ROOT"), "/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet"];
        return version is null ? [] : roots.Where(root => !string.IsNullOrEmpty(root)).Select(root => Path.Combine(root!, "shared", "Microsoft.NETCore.App", version, Library));
    }
}
