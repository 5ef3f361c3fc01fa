using Poolscope.Collect.Recording;

namespace Poolscope.Collect.Terminal;

/// <summary>Shows one line per second while recording, on a terminal only.</summary>
/// <param name="rewrite">Whether each line replaces the one before; false if a launched command writes to the same
/// terminal and would be overwritten.</param>
public sealed class ProgressLine(ICommandConsole console, bool rewrite)
{
    private bool _open;

    public void Show(RecordingProgress progress)
    {
        if (!console.ErrorIsTerminal)
        {
            return;
        }

        var line = Format(progress);
        if (rewrite)
        {
            console.Error.Write($"\r{line}\e[K");
            _open = true;
        }
        else
        {
            console.Error.WriteLine(line);
        }
    }

    /// <summary>Ends the line, which stays on the terminal.</summary>
    public void End()
    {
        if (_open)
        {
            console.Error.WriteLine();
            _open = false;
        }
    }

    public static string Format(RecordingProgress progress)
    {
        var scheduler = progress.SchedulerEvents is { } events
            ? $"{events:N0} scheduler events, {progress.SchedulerLost:N0} lost"
            : "no scheduler events";
        return $"{progress.Elapsed:hh\\:mm\\:ss}  {ByteSize.Format(progress.Bytes)}, {scheduler}";
    }
}
