using System.IO.Compression;

namespace Poolscope.Etl.Files;

/// <summary>Takes the recording out of a zip. PerfView packs symbol files beside it, which nothing here reads.</summary>
internal static class EtlZip
{
    private const string Extension = ".etl";
    private const int MostParts = 16;
    private const int CopyBytes = 1 << 17;

    // The unused ends of buffers are of one value, so a file of few events shrinks to a hundredth.
    private const long FixedBytes = 1L << 30;
    private const long BytesPerPacked = 100;

    /// <summary>Unpacks the recording into a folder.</summary>
    /// <returns>Paths of its files; the one that the others are named after comes first.</returns>
    /// <exception cref="InvalidDataException">It is no zip, holds no .etl, or unpacks to more than a recording does.</exception>
    public static List<string> Unpack(string zip, string folder)
    {
        var name = Path.GetFileName(zip);
        using var archive = OpenZip(zip, name);
        var main = Entries(archive, name).MinBy(entry => entry.Name.Length) ?? throw new InvalidDataException($"{name} cannot be read: it holds no .etl");
        var parts = Entries(archive, name)
            .Where(entry => EtlFiles.IsPart(entry.Name, main.Name))
            .DistinctBy(entry => entry.Name, StringComparer.OrdinalIgnoreCase)
            .OrderBy(entry => entry.Name, StringComparer.Ordinal)
            .Take(MostParts);
        var room = FixedBytes + (BytesPerPacked * new FileInfo(zip).Length);
        var paths = new List<string>();
        foreach (var entry in parts.Prepend(main))
        {
            var path = Path.Combine(folder, $"{paths.Count}{Extension}");
            room -= Copy(entry, path, room, name);
            paths.Add(path);
        }

        return paths;
    }

    private static ZipArchive OpenZip(string zip, string name)
    {
        try
        {
            return ZipFile.OpenRead(zip);
        }
        catch (InvalidDataException e)
        {
            throw new InvalidDataException($"{name} cannot be read: it is not a zip file, or it is damaged", e);
        }
    }

    private static IEnumerable<ZipArchiveEntry> Entries(ZipArchive archive, string name)
    {
        try
        {
            return archive.Entries.Where(entry => entry.Name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase));
        }
        catch (Exception e) when (e is InvalidDataException or ArgumentException or NotSupportedException or OverflowException)
        {
            throw new InvalidDataException($"{name} cannot be read: its directory is damaged", e);
        }
    }

    /// <summary>An entry can hold more than it says.</summary>
    private static long Copy(ZipArchiveEntry entry, string path, long room, string name)
    {
        try
        {
            using var from = entry.Open();
            using var to = File.Create(path);
            var bytes = new byte[CopyBytes];
            for (var copied = 0L; ;)
            {
                var read = from.Read(bytes);
                if (read == 0)
                {
                    return copied;
                }

                copied += read;
                if (copied > room)
                {
                    throw new InvalidDataException($"it unpacks to more than {BytesPerPacked} times its size");
                }

                to.Write(bytes.AsSpan(0, read));
            }
        }
        catch (Exception e) when (e is InvalidDataException or NotSupportedException or ArgumentException)
        {
            throw new InvalidDataException($"{name} cannot be read: {e.Message}", e);
        }
    }
}
