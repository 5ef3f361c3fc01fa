using System.Text.Json;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Files;
using Poolscope.Collect.Recording;

namespace Poolscope.Collect.Kept;

/// <summary>The reason why a capture was kept, as written into the capture.</summary>
/// <param name="FiredUtc">The time when the condition fired.</param>
/// <param name="Term">The part of the condition that fired.</param>
/// <param name="HistoryS">The seconds recorded before that.</param>
public sealed record Firing(DateTime FiredUtc, string Condition, string Term, double HistoryS);

/// <summary>The folder of a watcher: the current recording, and the captures that it keeps. It deletes only what
/// watchers made: captures with a file <see cref="MarkFile"/>, and the remains of a watcher that was killed.</summary>
internal sealed class KeptCaptures : IDisposable
{
    public const string MarkFile = "watch.json";

    private const string LockFile = ".watch.lock";
    private const string RunningPrefix = ".recording-";

    private static readonly JsonSerializerOptions Json = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping, // keeps > as typed
    };

    private readonly FileStream _lock;
    private readonly bool _made;
    private readonly int _most;
    private readonly long _maxBytes;
    private int _next;

    private KeptCaptures(string folder, bool made, FileStream held, int most, long maxBytes) =>
        (Folder, _made, _lock, _most, _maxBytes) = (folder, made, held, most, maxBytes);

    public string Folder { get; }

    /// <summary>The kept captures, the oldest first.</summary>
    public IReadOnlyList<string> Captures => [.. new DirectoryInfo(Folder).EnumerateDirectories()
        .Where(folder => folder.Name[0] != '.' && File.Exists(Path.Combine(folder.FullName, MarkFile)))
        .OrderBy(folder => File.GetLastWriteTimeUtc(Path.Combine(folder.FullName, MarkFile)))
        .ThenBy(folder => folder.Name, StringComparer.Ordinal)
        .Select(folder => folder.FullName)];

    /// <summary>The folder of the rundown that is taken when watching begins.</summary>
    public string SymbolsFolder => Path.Combine(Folder, RunningPrefix + "symbols");

    /// <summary>The folder of the snapshots of the last minutes.</summary>
    public string SnapshotsFolder => Path.Combine(Folder, RunningPrefix + "snapshots");

    /// <param name="most">The number of captures to keep, 1 or more.</param>
    /// <param name="maxBytes">The limit of all captures together.</param>
    /// <exception cref="CommandException">The folder cannot be written, or another watcher uses it.</exception>
    public static KeptCaptures Open(string path, int most, long maxBytes)
    {
        try
        {
            var folder = Path.GetFullPath(path);
            if (File.Exists(folder))
            {
                throw new CommandException(ExitCode.Usage, $"{path} is a file: -o names the folder for captures");
            }

            var made = !Directory.Exists(folder);
            if (made)
            {
                PrivateFiles.CreateFolder(folder);
            }

            var kept = new KeptCaptures(folder, made, Hold(path, Path.Combine(folder, LockFile)), most, maxBytes);
            kept.RemoveRunning();
            kept.Prune(0);
            if (made && Invoker.Find() is { } invoker)
            {
                invoker.Own(folder);
            }

            return kept;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new CommandException(ExitCode.Usage, $"folder {path} cannot be written to: choose another with -o ({e.Message})", e);
        }
    }

    /// <summary>Returns the folder for the next slot, or for the next capture until it has its name.</summary>
    public string NextRecording() => Path.Combine(Folder, FormattableString.Invariant($"{RunningPrefix}{Interlocked.Increment(ref _next)}"));

    /// <summary>Gives a finished recording its name among the captures, and deletes the oldest captures if they are too
    /// many or too large.</summary>
    /// <param name="name">The name of the target.</param>
    /// <returns>The path of the capture.</returns>
    /// <exception cref="IOException">The disk failed.</exception>
    public string Keep(string recording, string name, Firing firing)
    {
        File.WriteAllText(Path.Combine(recording, MarkFile), JsonSerializer.Serialize(firing, Json) + "\n");
        Prune(SizeOf(recording), more: 1);
        var stem = CaptureFolder.Stem(name, firing.FiredUtc.ToLocalTime());
        var path = Path.Combine(Folder, stem);
        for (var copy = 2; Path.Exists(path); copy++)
        {
            path = Path.Combine(Folder, FormattableString.Invariant($"{stem}-{copy}"));
        }

        Directory.Move(recording, path);
        if (Invoker.Find() is { } invoker)
        {
            invoker.Own(path);
        }

        return path;
    }

    /// <summary>Deletes the watcher's files but its captures, and the folder if it is new and empty.</summary>
    public void Dispose()
    {
        RemoveRunning();
        _lock.Dispose();
        try
        {
            File.Delete(_lock.Name);
            if (_made && !Directory.EnumerateFileSystemEntries(Folder).Any())
            {
                Directory.Delete(Folder);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // An empty file remains. The next watcher uses it.
        }
    }

    /// <summary>Returns the bytes of all files in a folder.</summary>
    internal static long SizeOf(string folder)
    {
        try
        {
            return new DirectoryInfo(folder).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length);
        }
        catch (IOException)
        {
            return 0; // a file was deleted meanwhile; the next call counts again
        }
    }

    private static FileStream Hold(string path, string file)
    {
        try
        {
            // On Unix this is an advisory lock, which ends with the process however that ends.
            return new FileStream(file, FileMode.OpenOrCreate, FileAccess.Write, FileShare.None);
        }
        catch (IOException) when (File.Exists(file))
        {
            throw new CommandException(ExitCode.Usage, $"another poolscope watch writes to {path}: choose another folder with -o");
        }
    }

    private void Prune(long bytes, int more = 0)
    {
        var captures = Captures.ToList();
        var total = bytes + captures.Sum(SizeOf);
        while (captures.Count > 0 && (captures.Count + more > _most || total > _maxBytes))
        {
            total -= SizeOf(captures[0]);
            Directory.Delete(captures[0], recursive: true);
            captures.RemoveAt(0);
        }
    }

    private void RemoveRunning()
    {
        foreach (var left in Directory.EnumerateDirectories(Folder, RunningPrefix + "*"))
        {
            try
            {
                Directory.Delete(left, recursive: true);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The next watcher deletes the folder.
            }
        }
    }
}
