using Poolscope.Etl.Reading;

namespace Poolscope.Etl.Files;

/// <summary>The files of one recording. PerfView merges them into one. An unmerged recording keeps the kernel's events
/// and the runtime's names in files beside it: NAME.kernel.etl, NAME.clrRundown.etl.</summary>
public sealed class EtlFiles : IDisposable
{
    private const string Extension = ".etl";

    private static readonly string[] Beside = [".kernel", ".clr", ".user"];

    // Windows computes the boot time from a clock that is adjusted now and then.
    private static readonly TimeSpan SameBoot = TimeSpan.FromMinutes(10);

    private readonly List<EtlFile> _files;
    private readonly string? _folder;

    private EtlFiles(List<EtlFile> files, string? folder) => (_files, _folder) = (files, folder);

    /// <summary>All files of the recording. The named file comes first.</summary>
    public IReadOnlyList<EtlFile> All => _files;

    /// <summary>Opens a recording.</summary>
    /// <param name="path">An .etl file or a zip that contains one, under any name.</param>
    /// <param name="scratch">Folder to unpack a zip into. Disposing of the result deletes the unpacked files.</param>
    /// <exception cref="InvalidDataException">The file is not a recording, or is damaged. The message is one line for
    /// the user.</exception>
    /// <exception cref="IOException">A file cannot be opened, or the zip cannot be unpacked.</exception>
    public static EtlFiles Open(string path, string scratch)
    {
        ArgumentNullException.ThrowIfNull(path);
        if (!EtlZip.IsZip(path))
        {
            return Open(Parts(path), folder: null);
        }

        var folder = Path.Combine(scratch, $".unpacked-{Path.GetRandomFileName()}");
        Directory.CreateDirectory(folder);
        try
        {
            return Open(EtlZip.Unpack(path, folder), folder);
        }
        catch
        {
            Directory.Delete(folder, recursive: true);
            throw;
        }
    }

    public void Dispose()
    {
        foreach (var file in _files)
        {
            file.Dispose();
        }

        if (_folder is not null)
        {
            Directory.Delete(_folder, recursive: true);
        }
    }

    /// <summary>Returns whether <paramref name="name"/> is a further file of the recording
    /// <paramref name="main"/>.</summary>
    internal static bool IsPart(string name, string main)
    {
        if (!main.EndsWith(Extension, StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }

        var stem = main[..^Extension.Length];
        return name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase)
            && name.Length > main.Length
            && Beside.Any(part => name.StartsWith(stem + part, StringComparison.OrdinalIgnoreCase));
    }

    private static List<EtlPart> Parts(string path)
    {
        var folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        var others = Directory.Exists(folder) ? Directory.GetFiles(folder) : [];
        var parts = others.Where(file => IsPart(Path.GetFileName(file), Path.GetFileName(path))).Order(StringComparer.Ordinal);
        return [.. parts.Prepend(path).Select(static file => new EtlPart(file, Path.GetFileName(file)))];
    }

    private static EtlFiles Open(List<EtlPart> parts, string? folder)
    {
        var files = new List<EtlFile>();
        try
        {
            files.AddRange(parts.Select(static part => EtlFile.Open(part.Path, part.Name)));
            foreach (var other in files.Skip(1))
            {
                RequireSameMachine(files[0], other);
            }

            return new EtlFiles(files, folder);
        }
        catch
        {
            files.ForEach(static file => file.Dispose());
            throw;
        }
    }

    /// <summary>Throws if the files come from different machines or boots: their time stamps are not
    /// comparable.</summary>
    private static void RequireSameMachine(EtlFile file, EtlFile other)
    {
        var (a, b) = (file.Header, other.Header);
        var apart = Math.Abs((decimal)a.BootTime - b.BootTime);
        if (a.Clock != b.Clock || a.PerfFreq != b.PerfFreq || a.PointerSize != b.PointerSize || apart > SameBoot.Ticks)
        {
            throw new InvalidDataException($"{other.Name} lies beside {file.Name}, but was recorded on another machine or after another start of it: move it elsewhere");
        }
    }
}
