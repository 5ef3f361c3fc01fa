using System.IO.Compression;

namespace Poolscope.Etl.Files;

/// <summary>Takes the recording out of a zip. PerfView packs symbol files beside it, which nothing here reads.</summary>
internal static class EtlZip
{
    private const string Extension = ".etl";
    private const string Attributes = "._"; // how macOS names what belongs to a file
    private const int MostParts = 16;
    private const int CopyBytes = 1 << 17;

    // The unused ends of buffers are of one value, so a file of few events shrinks to a hundredth.
    private const long FixedBytes = 1L << 30;
    private const long BytesPerPacked = 100;

    /// <summary>Whether a file begins as a zip does: people rename files.</summary>
    /// <exception cref="IOException">It cannot be opened.</exception>
    public static bool IsZip(string path)
    {
        using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        Span<byte> head = stackalloc byte[2];
        return RandomAccess.Read(file, head, 0) == head.Length && head.SequenceEqual("PK"u8);
    }

    /// <summary>Unpacks the recording into a folder.</summary>
    /// <returns>Its files; the one that the others are named after comes first.</returns>
    /// <exception cref="InvalidDataException">It is damaged, holds no .etl or several recordings, or unpacks to more than a recording
    /// does.</exception>
    public static List<EtlPart> Unpack(string zip, string folder)
    {
        var name = Path.GetFileName(zip);
        using var archive = OpenZip(zip, name);
        var entries = Entries(archive, name);
        var main = entries.MinBy(entry => entry.Name.Length) ?? throw new InvalidDataException($"{name} cannot be read: it holds no .etl");
        var parts = entries.Where(entry => EtlFiles.IsPart(entry.Name, main.Name)).Take(MostParts).ToList();
        if (entries.Except(parts).FirstOrDefault(entry => entry != main) is { } other)
        {
            throw new InvalidDataException($"{name} holds several recordings: unpack it, and name one of them, {main.Name} or {other.Name}");
        }

        var room = FixedBytes + (BytesPerPacked * new FileInfo(zip).Length);
        var files = new List<EtlPart>();
        foreach (var entry in parts.Prepend(main))
        {
            var path = Path.Combine(folder, $"{files.Count}{Extension}");
            room -= Copy(entry, path, room, name);
            files.Add(new EtlPart(path, $"{name}: {entry.Name}"));
        }

        return files;
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

    /// <summary>What is named as a recording, by name.</summary>
    private static List<ZipArchiveEntry> Entries(ZipArchive archive, string name)
    {
        try
        {
            return
            [
                .. archive.Entries
                    .Where(static entry => entry.Name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) && !entry.Name.StartsWith(Attributes, StringComparison.Ordinal))
                    .DistinctBy(entry => entry.Name, StringComparer.OrdinalIgnoreCase)
                    .OrderBy(entry => entry.Name, StringComparer.Ordinal),
            ];
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
