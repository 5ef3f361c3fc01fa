using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look;

/// <summary>Finds the library that knows the layout of one build of the runtime (the DAC).</summary>
internal static class DacLocator
{
    private const string Library = "libmscordaccore.so";

    /// <param name="given">What the user names, or null.</param>
    /// <param name="pid">The process, whose files are those of its own mount namespace; null for a dump.</param>
    /// <exception cref="LookException">There is none; the message names the package that has it.</exception>
    public static string Find(ClrInfo clr, string? given, int? pid)
    {
        if (given is not null)
        {
            return File.Exists(given) ? given : throw new LookException($"--dac {given}: there is no such file");
        }

        var folder = Path.GetDirectoryName(clr.ModuleInfo.FileName) ?? "/";
        string[] candidates = pid is { } id
            ? [$"/proc/{id}/root{folder}/{Library}", Path.Combine(folder, Library)]
            : [Path.Combine(folder, Library), .. Installed(clr)];
        return candidates.FirstOrDefault(File.Exists)
            ?? throw new LookException(
                $"the runtime of {(pid is { } live ? $"process {live}" : "this dump")} has no {Library} beside it ({clr.ModuleInfo.FileName}): "
                + $"take it from the NuGet package Microsoft.NETCore.App.Runtime.{Rid} of the same version, and name it with --dac");
    }

    private static string Rid => OperatingSystem.IsWindows() ? "win-x64" : $"linux-{System.Runtime.InteropServices.RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant()}";

    /// <summary>An installed runtime in a folder of the same name as the dump's, that is of the same version.</summary>
    private static IEnumerable<string> Installed(ClrInfo clr)
    {
        var version = Path.GetFileName(Path.GetDirectoryName(clr.ModuleInfo.FileName)) ?? "";
        string?[] roots = [Environment.GetEnvironmentVariable("DOTNET_ROOT"), "/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet"];
        return roots.Where(root => !string.IsNullOrEmpty(root)).Select(root => Path.Combine(root!, "shared", "Microsoft.NETCore.App", version, Library));
    }
}
