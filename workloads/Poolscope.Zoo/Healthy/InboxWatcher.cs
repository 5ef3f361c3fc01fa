using Zoo.Running;

namespace Mail.Inbox;

/// <summary>A FileSystemWatcher, a dedicated thread that writes the files, and awaited reads.</summary>
internal static class InboxWatcher
{
    private static long _read;

    public static void Run(Stage stage)
    {
        var folder = Directory.CreateTempSubdirectory("inbox-").FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(folder, recursive: true);
        var watcher = new FileSystemWatcher(folder) { EnableRaisingEvents = true };
        watcher.Created += async (_, file) => await ReadAsync(file.FullPath);
        var scanner = new Thread(() => stage.Pace(30, n => File.WriteAllText(Path.Combine(folder, $"{n}.eml"), new string('x', 5000))))
        {
            IsBackground = true,
            Name = "scanner",
        };
        scanner.Start();
    }

    private static async Task ReadAsync(string file)
    {
        await Task.Delay(20);
        var text = await File.ReadAllTextAsync(file);
        Interlocked.Add(ref _read, text.Length);
        File.Delete(file);
    }
}
