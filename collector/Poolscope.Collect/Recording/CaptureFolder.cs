using System.Globalization;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;

namespace Poolscope.Collect.Recording;

/// <summary>The folder of a capture, made before anything is started and deleted if no capture results.</summary>
public sealed class CaptureFolder
{
    private readonly string? _firstMade;

    private CaptureFolder(string path, string? firstMade)
    {
        FullPath = path;
        _firstMade = firstMade;
    }

    public string FullPath { get; }

    /// <summary>The size of the tables, or 0 if they have not been made yet.</summary>
    public long TableBytes => new DirectoryInfo(Path.Combine(FullPath, "tables")) is { Exists: true } tables
        ? tables.EnumerateFiles().Sum(file => file.Length)
        : 0;

    /// <summary>Returns the default path of a capture: traces/NAME-DATE-TIME if there is a traces folder, else
    /// NAME-DATE-TIME.poolscope. The path never exists.</summary>
    public static string DefaultPath(string currentFolder, string name, DateTime now)
    {
        var stem = Stem(name, now);
        var traces = Path.Combine(currentFolder, "traces");
        for (var copy = 1; ; copy++)
        {
            var unique = copy == 1 ? stem : $"{stem}-{copy}";
            var path = Directory.Exists(traces) ? Path.Combine(traces, unique) : Path.Combine(currentFolder, unique + ".poolscope");
            if (!Path.Exists(path))
            {
                return path;
            }
        }
    }

    /// <summary>Returns NAME-DATE-TIME, in characters that every file system takes.</summary>
    internal static string Stem(string name, DateTime now)
    {
        var safe = string.Concat(name.Select(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-' ? c : '_')).TrimStart('.');
        return $"{(safe.Length > 0 ? safe : "capture")}-{now.ToString("yyyyMMdd-HHmmss", CultureInfo.InvariantCulture)}";
    }

    /// <exception cref="CommandException">The folder is not empty, or cannot be written.</exception>
    public static CaptureFolder Create(string path)
    {
        try
        {
            var full = Path.GetFullPath(path);
            if (File.Exists(full))
            {
                throw new CommandException(ExitCode.Usage, $"{path} is a file: -o names the capture's folder");
            }

            if (Directory.Exists(full) && Directory.EnumerateFileSystemEntries(full).Any())
            {
                throw new CommandException(ExitCode.Usage, $"folder {path} is not empty: choose another with -o");
            }

            var firstMade = FirstMissing(full);
            PrivateFiles.CreateFolder(full);
            var folder = new CaptureFolder(full, firstMade);
            try
            {
                using var probe = new FileStream(PrivateFiles.TemporaryIn(full), FileMode.CreateNew, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose);
            }
            catch
            {
                folder.Discard();
                throw;
            }

            return folder;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new CommandException(ExitCode.Usage, $"folder {path} cannot be written to: choose another with -o ({e.Message})", e);
        }
    }

    /// <summary>Makes a user the owner of everything that was made.</summary>
    internal void GiveTo(Invoker invoker) => invoker.Own(_firstMade ?? FullPath);

    /// <summary>Restores the disk as it was before <see cref="Create"/>.</summary>
    public void Discard()
    {
        try
        {
            if (_firstMade is not null)
            {
                Directory.Delete(_firstMade, recursive: true);
                return;
            }

            // The folder existed before, and was empty.
            foreach (var file in Directory.EnumerateFiles(FullPath))
            {
                File.Delete(file);
            }

            foreach (var folder in Directory.EnumerateDirectories(FullPath))
            {
                Directory.Delete(folder, recursive: true);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The user must read the reason for discarding, not this error.
        }
    }

    private static string? FirstMissing(string path)
    {
        string? missing = null;
        for (var at = path; at is not null && !Directory.Exists(at); at = Path.GetDirectoryName(at))
        {
            missing = at;
        }

        return missing;
    }
}
