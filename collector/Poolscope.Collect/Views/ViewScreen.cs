using System.Text;
using Poolscope.Collect.Live;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Views;

/// <summary>Shows the latest state on the terminal's second screen, so that the first one is unchanged when this ends.
/// Each frame is one write over the one before, so nothing flickers.</summary>
internal sealed class ViewScreen : IAsyncDisposable
{
    private const string Enter = "\e[?1049h\e[?25l\e[2J";

    // The third code: when the runtime reads a key, it changes the codes of the arrow keys for good.
    private const string Leave = "\e[?25h\e[?1049l\e[?1l\e>";

    /// <summary>The time between two checks for another state or another size.</summary>
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(200);

    private readonly StateBoard _board;
    private readonly StateView _view;
    private readonly TextWriter _out;
    private readonly Action _quit;
    private readonly CancellationTokenSource _end = new();
    private readonly Task _showing;

    private ViewScreen(StateBoard board, ICommandConsole console, Action quit)
    {
        (_board, _out, _quit) = (board, console.Out, quit);
        _view = new StateView(new ViewStyle(Terminals.Color, Terminals.Unicode));
        _out.Write(Enter);
        _out.Flush();
        _showing = ShowAsync();
        if (!Console.IsInputRedirected)
        {
            new Thread(ReadKeys) { IsBackground = true, Name = "keys" }.Start();
        }
    }

    /// <param name="quit">Called on any thread when the user presses q.</param>
    public static ViewScreen Show(StateBoard board, ICommandConsole console, Action quit) => new(board, console, quit);

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync().ConfigureAwait(false);
        try
        {
            await _showing.ConfigureAwait(false);
        }
        finally
        {
            await _out.WriteAsync(Leave).ConfigureAwait(false);
            await _out.FlushAsync().ConfigureAwait(false);
            _end.Dispose();
        }
    }

    /// <summary>Joins lines into one text that overwrites a frame of any size.</summary>
    internal static string Frame(IReadOnlyList<string> lines)
    {
        var frame = new StringBuilder("\e[H");
        for (var i = 0; i < lines.Count; i++)
        {
            frame.Append(i == 0 ? "" : "\r\n").Append(lines[i]).Append("\e[K");
        }

        return frame.Append("\e[J").ToString();
    }

    private async Task ShowAsync()
    {
        (PoolState?, int, int) shown = default;
        try
        {
            while (!_end.IsCancellationRequested)
            {
                var (width, height) = Terminals.Size();
                var next = (_board.Latest, width, height);
                if (!ReferenceEquals(next.Latest, shown.Item1) || shown.Item2 != width || shown.Item3 != height)
                {
                    shown = next;
                    await _out.WriteAsync(Frame(_view.Draw(next.Latest, width, height))).ConfigureAwait(false);
                    await _out.FlushAsync().ConfigureAwait(false);
                }

                await Task.Delay(Beat, _end.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // The view ends.
        }
        catch (IOException)
        {
            _quit(); // the terminal is gone
        }
    }

    /// <summary>Reads keys until the process ends. It blocks in between, with no echo and no CPU time.</summary>
    private void ReadKeys()
    {
        try
        {
            while (!_end.IsCancellationRequested)
            {
                if (Console.ReadKey(intercept: true).KeyChar is 'q' or 'Q')
                {
                    _quit();
                }
            }
        }
        catch (Exception e) when (e is InvalidOperationException or IOException or ObjectDisposedException)
        {
            // No keys can be read here. Ctrl-C ends the view.
        }
    }
}
