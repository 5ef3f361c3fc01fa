using System.IO.Compression;

namespace Poolscope.Tables;

/// <summary>NumPy's .npz format: a zip archive of .npy files, here always uncompressed, so that a reader can take
/// one column without the others.</summary>
public static class Npz
{
    // The same input gives the same bytes, so the archive must not carry the time of writing.
    private static readonly DateTimeOffset EntryTime = new(1980, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>Writes columns to a temporary file beside the path and renames it, so that no reader sees half a
    /// table.</summary>
    /// <param name="path">The file to create or replace.</param>
    /// <param name="packed">Whether to pack large columns of integers (schema.json, "packed"): a third of the size, for
    /// readers that support it.</param>
    /// <exception cref="IOException">The folder is missing or not writable.</exception>
    public static void Write(string path, IEnumerable<Column> columns, bool packed = false) => NewFile.Replace(path, file =>
    {
        using var archive = new ZipArchive(file, ZipArchiveMode.Create, leaveOpen: true);
        foreach (var array in columns.SelectMany(c => c.Entries(packed)))
        {
            var entry = archive.CreateEntry(array.Name + ".npy", CompressionLevel.NoCompression);
            entry.LastWriteTime = EntryTime;
            using var stream = entry.Open();
            Npy.Write(stream, array);
        }
    });
}
