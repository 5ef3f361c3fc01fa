namespace Poolscope.Tables;

/// <summary>Writes files so that nobody but their owner reads them, and none that was there before is written through: a folder
/// that came from somebody may hold a link under any name that can be foreseen.</summary>
public static class NewFile
{
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Creates or replaces a file as a whole: readers meet the former one or the new one.</summary>
    /// <param name="path">A link there is replaced, not followed.</param>
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

    /// <summary>Creates a folder for its owner alone beside a path, under a name that nobody can foresee.</summary>
    /// <returns>Its path: the one given, a dot, a random word and `.tmp`.</returns>
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

    /// <summary>A path beside another, with a random name; nothing is created.</summary>
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
