using Poolscope.Collect.Live;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Watching;

/// <summary>The forms in which a watcher reports its work.</summary>
internal enum LogForm
{
    /// <summary>Text for people, on stderr; on a terminal with the state as the last line.</summary>
    Words,

    /// <summary>The same, with the state as a line on stdout each second.</summary>
    Lines,

    /// <summary>Lines of JSON for a log collector, on stdout.</summary>
    Json,

    /// <summary>The terminal shows a view. The events are written to stderr when it is over.</summary>
    Afterwards,
}

/// <summary>Reports the work of a watcher, and passes all reports to the board.</summary>
internal sealed class WatchLog(ICommandConsole console, LogForm form, StateBoard board)
{
    private readonly Lock _lock = new();
    private readonly Queue<Note> _kept = [];
    private bool _open;
    private string? _lastSaid;

    public void State(PoolState state)
    {
        var posted = board.Post(state);
        lock (_lock)
        {
            if (form == LogForm.Json)
            {
                console.Out.WriteLine(StateLine.Of(posted).Text());
            }
            else if (form == LogForm.Lines)
            {
                console.Out.WriteLine(StateWords.Line(posted));
            }
            else if (form == LogForm.Words && console.ErrorIsTerminal)
            {
                console.Error.Write($"\r{StateWords.Line(posted)}\e[K");
                _open = true;
            }
        }
    }

    public void Event(EventLine line)
    {
        var alarm = line.Event is EventLine.Warning or EventLine.Failed;
        var note = new Note(line.Time, line.Message ?? line.Event, alarm);
        board.Add(note, line.Tally);
        lock (_lock)
        {
            if (form == LogForm.Json)
            {
                console.Out.WriteLine(line.Text());
                return;
            }

            Tell(note);
        }
    }

    public void Warn(string message, int? pid = null) => Event(new EventLine(DateTime.UtcNow, EventLine.Warning, pid, Message: message));

    /// <summary>Writes a message for people that no log collector needs.</summary>
    public void Say(string message)
    {
        board.Add(new Note(DateTime.UtcNow, message, Alarm: false), new Tally(0, 0, 0, 0));
        lock (_lock)
        {
            _lastSaid = message;
            if (form is LogForm.Words or LogForm.Lines)
            {
                CloseLine();
                console.Error.WriteLine(message);
            }
        }
    }

    /// <summary>Writes a line from a program that was run for a capture.</summary>
    public void Print(string line)
    {
        lock (_lock)
        {
            if (form == LogForm.Afterwards)
            {
                var note = new Note(DateTime.UtcNow, line, Alarm: false);
                board.Add(note, new Tally(0, 0, 0, 0));
                Tell(note);
                return;
            }

            CloseLine();
            console.Error.WriteLine(line);
        }
    }

    public void End()
    {
        lock (_lock)
        {
            CloseLine();
            while (_kept.TryDequeue(out var note))
            {
                Write(note);
            }

            if (form == LogForm.Afterwards && _lastSaid is not null)
            {
                console.Error.WriteLine(_lastSaid);
            }
        }
    }

    private void Tell(Note note)
    {
        if (form != LogForm.Afterwards)
        {
            CloseLine();
            Write(note);
            return;
        }

        _kept.Enqueue(note);
        if (_kept.Count > StateBoard.MostNotes)
        {
            _kept.Dequeue();
        }
    }

    private void Write(Note note)
    {
        if (note.Alarm)
        {
            console.Warn(note.Text);
        }
        else
        {
            console.Error.WriteLine($"{note.TimeUtc.ToLocalTime():HH:mm:ss}  {note.Text}");
        }
    }

    private void CloseLine()
    {
        if (_open)
        {
            console.Error.WriteLine();
            _open = false;
        }
    }
}
