using System.Text;
using Poolscope.Collect.Live;
using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Views;

/// <summary>Shows the latest state on the terminal's second screen, so that the first one is as it was when this ends. A frame is
/// one write over the one before: nothing flickers.</summary>
internal sealed class ViewScreen : IAsyncDisposable
{
    private const string Enter = "\e[?1049h\e[?25l\e[2J";

    // The third: the runtime asks the terminal for other codes of its arrow keys when it reads a key, and does not take it back.
    private const string Leave = "\e[?25h\e[?1049l\e[?1l\e>";

    /// <summary>Between looks for another state or another size.</summary>
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

    /// <param name="quit">Called when q is pressed, on any thread.</param>
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

    /// <summary>Lines as one text that overwrites a frame of any size.</summary>
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
            // It ends.
        }
        catch (IOException)
        {
            _quit(); // the terminal is gone
        }
    }

    /// <summary>Blocks in between, so that nothing is echoed and no time is taken; ends with the process.</summary>
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
            // No keys can be read here: Ctrl-C ends it.
        }
    }
}
