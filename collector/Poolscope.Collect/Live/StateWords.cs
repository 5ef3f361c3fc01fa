using System.Globalization;
using System.Text;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Live;

/// <summary>Formats the figures of a state for people. Unknown figures are shown as such, never as 0.</summary>
internal static class StateWords
{
    public const string NotKnown = "not known";

    /// <summary>Returns the whole state in one line, for a terminal's last line or a pipe.</summary>
    public static string Line(PoolState state)
    {
        if (state.Pid is null)
        {
            return state.Phase;
        }

        var recorded = state.Phase == WatchPhase.Observing ? "" : $"; {Seconds(state.HistoryS)} recorded, {Bytes(state.Bytes)}, {Count(state.Captures)} captures";
        var wait = state.Phase == WatchPhase.Observing ? $"queued for {Seconds(state.QueuedS)}" : $"wait {Seconds(state.WaitS)}";
        return $"{state.Phase} {state.Pid}: {wait}, queue {Count(state.Queue)}, {Count(state.Threads)} threads, {Rate(state.CompletedPerS)} items ended, {Cores(state.Cores)}{recorded}";
    }

    public static string Count(long? value) => value?.ToString("N0", CultureInfo.InvariantCulture) ?? NotKnown;

    /// <param name="seconds">0 or more.</param>
    public static string Seconds(double? seconds) => seconds switch
    {
        null => NotKnown,
        0 => "0 s",
        < 0.001 => "< 1 ms",
        < 1 => Text($"{seconds * 1000:0} ms"),
        < 10 => Text($"{seconds:0.0} s"),
        < 120 => Text($"{seconds:0} s"),
        < 7200 => Text($"{seconds / 60:0} min"),
        < 172_800 => Text($"{seconds / 3600:0} h"),
        _ => Text($"{seconds / 86_400:N0} days"),
    };

    public static string Rate(double? perSecond) => perSecond is null ? NotKnown : Text($"{perSecond:N0}/s");

    public static string Cores(double? cores) => cores is null ? $"CPU {NotKnown}" : Text($"{cores:0.00} cores");

    public static string Bytes(long? bytes) => bytes is { } known ? ByteSize.Format(known) : NotKnown;

    /// <summary>Replaces control characters: those in another process's name must not reach the terminal.</summary>
    public static string Printable(string text)
    {
        var clean = new StringBuilder(text.Length);
        foreach (var rune in text.EnumerateRunes())
        {
            var kind = Rune.GetUnicodeCategory(rune);
            clean.Append(kind is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator ? "?" : rune.ToString());
        }

        return clean.ToString();
    }

    private static string Text(FormattableString text) => FormattableString.Invariant(text);
}
