using System.Globalization;
using System.Text;
using Poolscope.Collect.Live;
using Poolscope.Collect.Terminal;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Poolscope.Collect.Views;

/// <summary>The capabilities of a terminal.</summary>
/// <param name="Color">Whether it may show colours.</param>
/// <param name="Unicode">Whether it has block and line characters.</param>
internal sealed record ViewStyle(bool Color, bool Unicode);

/// <summary>Draws a state as text that fills a terminal.</summary>
internal sealed class StateView
{
    /// <summary>The fewest rows of recent events, which also get all rows that are left.</summary>
    private const int LeastNotes = 2;

    private const int LabelWidth = 18;

    private const int ValueWidth = 22;

    private static readonly Style Dim = new(decoration: Decoration.Dim);
    private static readonly Style Strong = new(decoration: Decoration.Bold);
    private static readonly Style Alarm = new(Color.Red, decoration: Decoration.Bold);
    private static readonly Style Warning = new(Color.Yellow);
    private static readonly Style Good = new(Color.Green);

    private readonly ViewStyle _style;
    private readonly StringBuilder _text = new();
    private readonly IAnsiConsole _console;

    public StateView(ViewStyle style)
    {
        _style = style;
        _console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = style.Color ? AnsiSupport.Yes : AnsiSupport.No,
            ColorSystem = style.Color ? ColorSystemSupport.Standard : ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(new StringWriter(_text, CultureInfo.InvariantCulture)),
            Enrichment = new ProfileEnrichment { UseDefaultEnrichers = false },
        });
        _console.Profile.Capabilities.Unicode = style.Unicode;
    }

    /// <summary>Draws a state into this many columns and rows. Rows that are not needed stay empty.</summary>
    /// <returns>At most `height` lines, none wider than `width`.</returns>
    public IReadOnlyList<string> Draw(PoolState? state, int width, int height)
    {
        _console.Profile.Width = width;
        _console.Profile.Height = height;
        _text.Clear();
        _console.Write(new Rows(state is null ? [new Spectre.Console.Text("Connecting ...")] : Parts(state, width, height)));
        var lines = _text.ToString().TrimEnd('\n').Split('\n').Select(line => line.TrimEnd('\r'));
        return [.. lines.Take(height)];
    }

    private IEnumerable<IRenderable> Parts(PoolState state, int width, int height)
    {
        var head = Head(state).ToList();
        var figures = Figures(state).ToList();
        var history = History(state, width).ToList();
        var foot = Foot(state).ToList();
        var fixedRows = head.Count + figures.Count + history.Count + foot.Count + 4; // a blank between parts, and the last line
        var notes = Math.Max(LeastNotes, height - fixedRows);
        return
        [
            .. head, Spectre.Console.Text.Empty,
            .. figures, Spectre.Console.Text.Empty,
            .. history, Spectre.Console.Text.Empty,
            .. foot,
            .. state.Notes.TakeLast(notes).Select(note => Line(Said(note))),
            Line(("q or Ctrl-C ends this", Dim)),
        ];
    }

    private static IEnumerable<IRenderable> Head(PoolState state)
    {
        var time = state.TimeUtc.ToLocalTime().ToString("HH:mm:ss", CultureInfo.InvariantCulture);
        yield return state.Pid is null
            ? Line((time, Dim), ("  ", Style.Plain), ("no process of the name yet", Strong))
            : Line(
                (time, Dim),
                ("  ", Style.Plain),
                (StateWords.Printable(state.Name ?? "?"), Strong),
                ($" ({state.Pid}), {StateWords.Printable(state.Runtime ?? "runtime " + StateWords.NotKnown)}, up {StateWords.Seconds(state.UptimeS)}", Style.Plain));
        yield return Row("State", Doing(state));
        if (state.Terms.Count > 0)
        {
            yield return Line([(Label("Condition"), Dim), .. state.Terms.SelectMany(Term)]);
        }
    }

    private static (string Text, Style Style) Doing(PoolState state) => state.Phase switch
    {
        WatchPhase.Waiting => ("waiting for a process of the name", Warning),
        WatchPhase.Watching => ($"watching; a capture would reach back {StateWords.Seconds(state.HistoryS)}", Good),
        WatchPhase.Recording => ("recording an incident", Alarm),
        WatchPhase.Writing => ("writing the capture of an incident", Warning),
        _ => ("observing; nothing is recorded", Good),
    };

    private static IEnumerable<(string, Style)> Term(TermState term, int index)
    {
        yield return (index == 0 ? term.Text : $"  or  {term.Text}", Style.Plain);
        yield return (term.Holds ? ": holds" : ": no", term.Holds ? Alarm : Dim);
    }

    private static IEnumerable<IRenderable> Figures(PoolState state)
    {
        var goal = state.Goal is not null ? StateWords.Count(state.Goal) : state.Phase == WatchPhase.Observing ? "asked if items wait" : "not known yet";
        var why = state.GoalReason is { } reason ? $"{GoalReasons.Words(reason)}, {StateWords.Seconds(state.GoalAgeS)} ago" : "not known: no change was seen";
        yield return Pair("Longest wait now", Followed(state, Late(state.WaitS)), "Worker threads", Plain(StateWords.Count(state.Threads)));
        yield return Pair("Queue", state.Queue > 0 ? (StateWords.Count(state.Queue), Strong) : Plain(StateWords.Count(state.Queue)), "Threads wanted", Plain(goal));
        yield return Pair("Not empty for", Plain(StateWords.Seconds(state.QueuedS)), "Added for starving", state.Starvations > 0 ? (StateWords.Count(state.Starvations), Warning) : Plain(StateWords.Count(state.Starvations)));
        yield return Pair("Items begun", Followed(state, Plain(StateWords.Rate(state.BegunPerS))), "CPU", Plain(state.Cores is { } cores ? string.Create(CultureInfo.InvariantCulture, $"{cores:0.00} cores") : StateWords.NotKnown));
        yield return Pair("Items ended", Plain(StateWords.Rate(state.CompletedPerS)), "Events lost", state.Lost > 0 ? (StateWords.Count(state.Lost), Warning) : Plain(StateWords.Count(state.Lost)));
        yield return Pair("No event for", Plain(StateWords.Seconds(state.SilentS)), "Timers", Plain(StateWords.Count(state.Timers)));
        yield return Row("Why that many", Plain(why));
    }

    /// <summary>Returns a figure that needs an event for each work item, which `top` does not have.</summary>
    private static (string, Style) Followed(PoolState state, (string, Style) value) =>
        state.Phase == WatchPhase.Observing ? ("not known to top", Dim) : value;

    private IEnumerable<IRenderable> History(PoolState state, int width)
    {
        var minute = state.Minute;
        yield return Spark("Queue, last min", [.. minute.Select(moment => (double?)moment.Queue)], width, most => StateWords.Count((long)most));
        yield return Spark("Threads", [.. minute.Select(moment => (double?)moment.Threads)], width, most => StateWords.Count((long)most));
        if (state.Phase != WatchPhase.Observing)
        {
            yield return Spark("Longest wait", [.. minute.Select(moment => moment.WaitS)], width, most => StateWords.Seconds(most));
        }
    }

    private OneLine Spark(string label, IReadOnlyList<double?> values, int width, Func<double, string> words)
    {
        var room = Math.Clamp(width - LabelWidth - 20, 1, StateBoard.MostMoments);
        var most = values.Max() is { } known ? "most " + words(known) : StateWords.NotKnown;
        return Line((Label(label), Dim), (Sparkline.Draw(values, room, _style.Unicode), new Style(Color.Aqua)), ("  " + most, Style.Plain));
    }

    private static IEnumerable<IRenderable> Foot(PoolState state)
    {
        if (state.Phase == WatchPhase.Observing)
        {
            yield return Line((CommandName.InOwnWords("How long items wait takes an event for each: poolscope watch --live"), Dim));
            yield break;
        }

        var tally = state.Tally;
        yield return Line(
            (Label("Incidents"), Dim),
            ($"{StateWords.Count(tally.Fired)}; captures written {StateWords.Count(tally.Captured)}, failed {StateWords.Count(tally.Failed)}, kept {StateWords.Count(state.Captures)} of {StateWords.Count(state.Keep)}", tally.Failed > 0 ? Warning : Style.Plain));
        yield return Row("Disk", Plain($"{StateWords.Bytes(state.Bytes)} of {StateWords.Bytes(state.MaxBytes)}"));
        yield return Row("Warnings", tally.Warnings > 0 ? (StateWords.Count(tally.Warnings), Warning) : Plain("0"));
    }

    private static (string, Style)[] Said(Note note) =>
    [
        (note.TimeUtc.ToLocalTime().ToString("HH:mm:ss", CultureInfo.InvariantCulture) + "  ", Dim),
        (StateWords.Printable(note.Text), note.Alarm ? Warning : Style.Plain),
    ];

    private static (string, Style) Late(double? seconds) => (StateWords.Seconds(seconds), seconds switch { > 1 => Alarm, > 0.05 => Warning, _ => Style.Plain });

    private static (string, Style) Plain(string text) => (text, Style.Plain);

    private static string Label(string text) => text.PadRight(LabelWidth);

    private static OneLine Row(string label, (string Text, Style Style) value) => Line((Label(label), Dim), value);

    private static OneLine Pair(string label, (string Text, Style Style) value, string other, (string Text, Style Style) second) =>
        Line((Label(label), Dim), (value.Text.PadRight(ValueWidth), value.Style), (" " + other.PadRight(LabelWidth + 1), Dim), second);

    private static OneLine Line(params IEnumerable<(string Text, Style Style)> parts) => new(parts);
}
