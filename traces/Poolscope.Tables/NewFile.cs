namespace Poolscope.Tables;

/// <summary>Writes files that only their owner can read, and never writes through an existing file: a folder from
/// elsewhere may hold a link under any predictable name.</summary>
public static class NewFile
{
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Creates or replaces a file as a whole: readers see the old one or the new one.</summary>
    /// <param name="path">Path of the file. A link there is replaced, not followed.</param>
    /// <exception cref="IOException">The folder is missing or not writable.</exception>
    public static void Replace(string path, Action<Stream> write)
    {
        var temporary = Neighbour(path);
        try
        {
            using (var file = Create(temporary))
            {
                write(file);
            }

            File.Move(temporary, path, overwrite: true);
        }
        catch
        {
            File.Delete(temporary);
            throw;
        }
    }

    /// <summary>Creates a folder beside a path, for its owner alone, under an unpredictable name.</summary>
    /// <returns>Its path: the given one, a dot, a random word and `.tmp`.</returns>
    /// <exception cref="IOException">The parent is missing or not writable.</exception>
    public static string CreateFolderBeside(string path)
    {
        var folder = Neighbour(path);
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(folder);
        }
        else
        {
            Directory.CreateDirectory(folder, Owner | UnixFileMode.UserExecute);
        }

        return folder;
    }

    /// <summary>Returns a path beside another, with a random name. Creates nothing.</summary>
    public static string Neighbour(string path) => $"{path}.{Path.GetRandomFileName().Replace(".", "", StringComparison.Ordinal)}.tmp";

    private static FileStream Create(string path)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = Owner;
        }

        return new FileStream(path, options);
    }
}
