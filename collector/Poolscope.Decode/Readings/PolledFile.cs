using Poolscope.Decode.Captures;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Files;

namespace Poolscope.Decode.Readings;

/// <summary>Reads a file of readings that the collector took at a fixed interval: a header line, then one reading per
/// line, in order of time.</summary>
internal static class PolledFile
{
    /// <summary>Reads the file and adds it to the capture's coverage. Readings before the first damaged line
    /// count.</summary>
    /// <param name="header">The expected first line.</param>
    /// <param name="parse">Parses a line; returns null if it is not a valid reading.</param>
    /// <param name="time">Returns the time of a reading, CLOCK_MONOTONIC ns.</param>
    /// <returns>The readings; null if the capture has no such file.</returns>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static List<T>? Read<T>(Capture capture, string file, string header, Func<string, T?> parse, Func<T, long> time, IProgress<string>? progress)
        where T : struct
    {
        if (!capture.Has(file))
        {
            return null;
        }

        var bounds = capture.BoundsOf(file);
        var readings = new List<T>();
        var (number, newest, doubtful) = (0, long.MinValue, 0);
        foreach (var line in CaptureLines.Of(capture.PathOf(file)))
        {
            number++;
            if (doubtful > 0)
            {
                break; // not the last line, so not merely truncated by a killed collector
            }

            if (parse(line) is { } reading && time(reading) is var at && at >= newest && bounds.Holds(at))
            {
                readings.Add(reading);
                newest = at;
            }
            else if (number > 1 || line != header)
            {
                doubtful = number;
            }
        }

        var damage = doubtful > 0 && number > doubtful ? $"line {doubtful} is no reading that can be" : null;
        capture.AddPolled(file, readings.Count > 0 ? time(readings[0]) : -1, readings.Count > 0 ? newest : -1, readings.Count, damage, progress);
        return readings;
    }
}
