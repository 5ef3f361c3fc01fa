using System.Globalization;
using System.Text;

namespace Poolscope.PerfEvents.Script;

/// <summary>The header that `perf script --header` prints before the events, as comments.</summary>
internal sealed class ScriptHeader
{
    /// <summary>A header with more events than this does not come from perf.</summary>
    private const int MostEvents = 4096;

    private readonly List<ScriptEvent> _events = [];

    internal string? HostName { get; private set; }

    internal string? Kernel { get; private set; }

    internal long? MemoryBytes { get; private set; }

    /// <summary>The number of CPUs that were online; 0: not reported.</summary>
    internal int Processors { get; private set; }

    /// <summary>True if the command line of `perf record` asked for all processes.</summary>
    internal bool IsOfAllProcesses { get; private set; }

    /// <summary>The recorded events; empty: not reported.</summary>
    internal IReadOnlyList<ScriptEvent> Events => _events;

    /// <summary>The zero of the recording's clock by the wall clock, if the clock is CLOCK_MONOTONIC; null: not
    /// reported.</summary>
    internal DateTime? MachineStartUtc { get; private set; }

    /// <summary>Reads a line that begins with #, before the first event.</summary>
    internal void Add(ReadOnlySpan<byte> line)
    {
        var text = Encoding.UTF8.GetString(line[1..]);
        if (Value(text, "event : name = ") is { } described && _events.Count < MostEvents)
        {
            _events.Add(ScriptEvent.Parse(described));
            return;
        }

        HostName ??= Value(text, "hostname : ");
        Kernel ??= Value(text, "os release : ");
        IsOfAllProcesses |= Value(text, "cmdline : ")?.Split(' ').TakeWhile(word => word != "--").Any(word => word is "-a" or "--all-cpus") == true;
        MachineStartUtc ??= Value(text, "reference time: ") is { } reference ? Start(reference) : null;
        if (int.TryParse(Value(text, "nrcpus online : "), CultureInfo.InvariantCulture, out var processors))
        {
            Processors = processors;
        }

        if (Value(text, "total memory : ") is { } memory && long.TryParse(memory.Split(' ')[0], CultureInfo.InvariantCulture, out var kilobytes) && kilobytes is > 0 and < long.MaxValue >> 10)
        {
            MemoryBytes = kilobytes << 10;
        }
    }

    private static string? Value(string text, string key)
    {
        var from = text.AsSpan().TrimStart();
        return from.StartsWith(key, StringComparison.Ordinal) ? from[key.Length..].Trim().ToString() : null;
    }

    // 2026-11-25 12:26:12.122545 = 1795609572.122545 (TOD) = 36459.483365418 (monotonic)
    private static DateTime? Start(string text)
    {
        var parts = text.Split(" = ");
        return parts is [_, var wall, var clock] && clock.EndsWith(" (monotonic)", StringComparison.Ordinal)
            && Seconds(wall) is { } since && Seconds(clock) is { } up && since > up && since < 1e11m
            ? DateTime.UnixEpoch + TimeSpan.FromTicks((long)((since - up) * TimeSpan.TicksPerSecond))
            : null;
    }

    private static decimal? Seconds(string text) =>
        decimal.TryParse(text.Split(' ')[0], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds) ? seconds : null;
}

/// <summary>One recorded event, as the header describes it.</summary>
/// <param name="Name">The name, such as "sched:sched_switch".</param>
/// <param name="Cpus">Number of CPUs on which it was recorded; 0: not reported.</param>
/// <param name="ClockId">The clock of its times; -1: perf's own.</param>
/// <param name="IsInPart">True if it was recorded at a rate, or once in a number of times.</param>
internal sealed record ScriptEvent(string Name, int Cpus, int ClockId, bool IsInPart)
{
    // sched:sched_switch, , id = { 1, 2 }, type = 2, ..., { sample_period, sample_freq } = 1, ..., use_clockid = 1, clockid = 1
    internal static ScriptEvent Parse(string text)
    {
        var name = text[..(text.IndexOf(", ", StringComparison.Ordinal) is >= 0 and var comma ? comma : text.Length)];
        var ids = Between(text, "id = { ", " }");
        return new ScriptEvent(
            name,
            ids.Length == 0 ? 0 : ids.Split(", ").Length,
            Number(text, ", use_clockid = ") == 1 ? Number(text, ", clockid = ") ?? 0 : -1,
            Number(text, ", freq = ") == 1 || Number(text, "{ sample_period, sample_freq } = ") is > 1);
    }

    private static int? Number(string text, string key) =>
        int.TryParse(Between(text, key, ","), CultureInfo.InvariantCulture, out var number) ? number : null;

    private static string Between(string text, string from, string to)
    {
        var start = text.IndexOf(from, StringComparison.Ordinal);
        if (start < 0)
        {
            return "";
        }

        start += from.Length;
        var end = text.IndexOf(to, start, StringComparison.Ordinal);
        return end < 0 ? text[start..] : text[start..end];
    }
}
