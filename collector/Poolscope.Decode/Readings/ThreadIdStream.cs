using System.Globalization;
using Poolscope.Decode.Captures;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Readings;

/// <summary>Both ids of the threads of a target in a pid namespace of its own, as the collector saw them.</summary>
public static class ThreadIdStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "thread-ids.csv";

    public const string Header = "time_ns,tid,namespace_tid";

    /// <returns>Null: the capture has no such file; the runtime and the kernel use the same ids.</returns>
    internal static ThreadIds? Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, Parse, seen => seen.Time, progress) is { } seen ? new ThreadIds(seen) : null;

    /// <returns>Null: the header, the last line of a collector that was killed, or a reading that cannot be.</returns>
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
