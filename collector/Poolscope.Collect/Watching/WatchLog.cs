using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Poolscope.Collect.Terminal;
using Poolscope.Decode.Watching;

namespace Poolscope.Collect.Watching;

/// <summary>One line of `watch --json`, once a second. What is not known is left out.</summary>
/// <param name="State">waiting (for a process of the name), watching, recording (an incident), writing (its capture).</param>
/// <param name="HistoryS">Seconds that a capture would reach back now.</param>
/// <param name="Bytes">Of the folder: captures and running recordings.</param>
internal sealed record StateLine(
    DateTime Time, string State, int? Pid = null, bool? Holds = null, double? WaitS = null, long? Queue = null, int? Threads = null,
    int? Goal = null, double? SilentS = null, long? Lost = null, double? HistoryS = null, long? Bytes = null, int? Captures = null);

/// <summary>A line of `watch --json` when something happens.</summary>
/// <param name="Event">fired, captured, failed or warning.</param>
internal sealed record EventLine(
    DateTime Time, string Event, int? Pid = null, string? Term = null, double? HistoryS = null, string? Capture = null, string? Message = null);

/// <summary>Says what a watcher does: lines of JSON on stdout for a log collector, or words on stderr for a person.</summary>
internal sealed class WatchLog(ICommandConsole console, bool json)
{
    private static readonly JsonSerializerOptions Json = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    private readonly Lock _lock = new();
    private bool _open;

    public void State(StateLine line)
    {
        lock (_lock)
        {
            if (json)
            {
                console.Out.WriteLine(JsonSerializer.Serialize(line, Json));
            }
            else if (console.ErrorIsTerminal)
            {
                console.Error.Write($"\r{Words(line)}\e[K");
                _open = true;
            }
        }
    }

    public void Event(EventLine line)
    {
        lock (_lock)
        {
            if (json)
            {
                console.Out.WriteLine(JsonSerializer.Serialize(line, Json));
                return;
            }

            CloseLine();
            if (line.Event is "warning" or "failed")
            {
                console.Warn(line.Message ?? line.Event);
            }
            else
            {
                console.Error.WriteLine($"{line.Time.ToLocalTime():HH:mm:ss}  {line.Message}");
            }
        }
    }

    public void Warn(string message, int? pid = null) => Event(new EventLine(DateTime.UtcNow, "warning", pid, Message: message));

    /// <summary>Of a person: something to know that no log collector needs.</summary>
    public void Say(string message)
    {
        lock (_lock)
        {
            if (!json)
            {
                CloseLine();
                console.Error.WriteLine(message);
            }
        }
    }

    public void End()
    {
        lock (_lock)
        {
            CloseLine();
        }
    }

    public static StateLine Line(string state, int pid, in PoolSample sample, bool holds, double? history, long bytes, int captures) => new(
        DateTime.UtcNow,
        state,
        pid,
        holds,
        Seconds(sample.WaitNs),
        Known(sample.Queue),
        (int?)Known(sample.Threads),
        (int?)Known(sample.Goal),
        Seconds(sample.SilentNs),
        sample.Lost,
        history,
        bytes,
        captures);

    private static long? Known(long value) => value < 0 ? null : value;

    private static double Seconds(long ns) => Math.Round(ns / 1e9, 3);

    private static string Words(StateLine line) => line.Pid is null ? line.State : string.Create(
        CultureInfo.InvariantCulture,
        $"{line.State} {line.Pid}: wait {line.WaitS:0.00} s, queue {line.Queue?.ToString(CultureInfo.InvariantCulture) ?? "?"}, {line.Threads?.ToString(CultureInfo.InvariantCulture) ?? "?"} threads; {line.HistoryS ?? 0:0} s recorded, {ByteSize.Format(line.Bytes ?? 0)}, {line.Captures} captures");

    private void CloseLine()
    {
        if (_open)
        {
            console.Error.WriteLine();
            _open = false;
        }
    }
}
