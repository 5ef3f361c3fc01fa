using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;

namespace Zoo.Running;

/// <summary>
/// The requests as the clients saw them. If the environment names a file in <c>ZOO_CLIENT_LOG</c>, each request is a
/// line of it: process, path, begin and end in ns of the monotonic clock; end 0 if no answer came.
/// </summary>
internal sealed class RequestLog
{
    private readonly ConcurrentQueue<Entry> _entries = [];

    /// <summary>Records the begin of a request.</summary>
    public Entry Begin(string path)
    {
        var entry = new Entry(path, Stopwatch.GetTimestamp());
        _entries.Enqueue(entry);
        return entry;
    }

    /// <summary>Writes a line for people, a line of JSON, and the file.</summary>
    public void Print()
    {
        var entries = _entries.ToArray();
        double[] sorted = [.. entries.Where(e => e.Ended > 0).Select(e => Stopwatch.GetElapsedTime(e.Begun, e.Ended).TotalMilliseconds).Order()];
        var middle = sorted.Length == 0 ? double.NaN : sorted[sorted.Length / 2];
        Console.Error.WriteLine(FormattableString.Invariant(
            $"client: {entries.Length} sent, {sorted.Length} answered, median {middle:0.0} ms, longest {sorted.LastOrDefault():0} ms"));
        Console.Error.WriteLine(Durations.Json("client", sorted, entries.Length));
        if (Environment.GetEnvironmentVariable("ZOO_CLIENT_LOG") is not { Length: > 0 } file)
        {
            return;
        }

        var text = new StringBuilder();
        foreach (var entry in entries)
        {
            text.Append(Environment.ProcessId).Append(',').Append(entry.Path).Append(',').Append(entry.Begun).Append(',').Append(entry.Ended).Append('\n');
        }

        File.AppendAllText(file, text.ToString());
    }

    /// <summary>One request.</summary>
    internal sealed class Entry(string path, long begun)
    {
        private long _ended;

        /// <summary>Gets the requested path.</summary>
        public string Path => path;

        /// <summary>Gets the time stamp of the begin.</summary>
        public long Begun => begun;

        /// <summary>Gets the time stamp of the end; 0 if no answer has come.</summary>
        public long Ended => Volatile.Read(ref _ended);

        /// <summary>Records the end.</summary>
        public void End() => Volatile.Write(ref _ended, Stopwatch.GetTimestamp());
    }
}
