using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Readings;

/// <summary>Both ids of each thread of a target in its own pid namespace, as the collector read them.</summary>
public static class ThreadIdStream
{
    /// <summary>File name in the capture folder. The first line is <see cref="Header"/>.</summary>
    public const string FileName = "thread-ids.csv";

    public const string Header = "time_ns,tid,namespace_tid";

    /// <returns>The ids; null if the capture has no such file. Then the runtime and the kernel use the same
    /// ids.</returns>
    internal static ThreadIds? Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, Parse, seen => seen.Time, progress) is { } seen ? new ThreadIds(seen) : null;

    /// <returns>The reading; null for the header, a line truncated by a killed collector, or impossible
    /// values.</returns>
    internal static SeenThread? Parse(string line)
    {
        var fields = line.Split(',');
        return fields.Length == 3
            && long.TryParse(fields[0], NumberStyles.None, CultureInfo.InvariantCulture, out var time)
            && Id(fields[1], out var tid) && Id(fields[2], out var inside)
            ? new SeenThread(time, tid, inside)
            : null;
    }

    private static bool Id(string text, out int id) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out id) && id is > 0 and < ThreadIds.Limit;
}
