using Poolscope.Tables;

namespace Poolscope.Workloads.Truth;

/// <summary>truth.npz, as traces/README.md defines it.</summary>
public static class TruthFile
{
    public const string Name = "truth.npz";

    /// <summary>The variable that the collector sets for a process that it launches: the capture's folder.</summary>
    public const string CaptureVariable = "POOLSCOPE_CAPTURE";

    /// <summary>Returns the path for the truth.</summary>
    /// <param name="output">The path that the user gave (a file, or an existing folder), or null.</param>
    /// <param name="captureFolder">The value of <see cref="CaptureVariable"/>, or null.</param>
    /// <returns>Null if neither is given: the truth is then not written.</returns>
    public static string? Locate(string? output, string? captureFolder)
    {
        if (!string.IsNullOrEmpty(output))
        {
            return Directory.Exists(output) ? Path.Combine(output, Name) : output;
        }

        return string.IsNullOrEmpty(captureFolder) ? null : Path.Combine(captureFolder, Name);
    }

    /// <summary>Fails now, before a run of minutes, if the file could not be written after the run.</summary>
    /// <exception cref="IOException">The folder is missing or not writable.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder is not writable.</exception>
    public static void Probe(string path)
    {
        var probe = $"{path}.{Environment.ProcessId}.probe";
        using (new FileStream(probe, FileMode.CreateNew, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose))
        {
        }
    }

    /// <exception cref="IOException">The folder is missing or not writable.</exception>
    public static void Write(string path, ItemRecorder items)
    {
        var id = new Column<long>("id");
        var enqueue = new Column<long>("enqueue_ns");
        var enqueueThread = new Column<int>("enqueue_tid");
        var start = new Column<long>("start_ns");
        var startThread = new Column<int>("start_tid");
        var end = new Column<long>("end_ns");
        var endThread = new Column<int>("end_tid");
        for (var i = 0; i < items.Count; i++)
        {
            var item = items[i];
            id.Add(item.Item);
            enqueue.Add(item.EnqueueNs);
            enqueueThread.Add(item.EnqueueThread);
            start.Add(item.StartNs);
            startThread.Add(item.StartThread);
            end.Add(item.EndNs);
            endThread.Add(item.EndThread);
        }

        Npz.Write(path, [id, enqueue, enqueueThread, start, startThread, end, endThread]);
    }
}
