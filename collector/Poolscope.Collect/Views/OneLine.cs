using Spectre.Console;
using Spectre.Console.Rendering;

namespace Poolscope.Collect.Views;

/// <summary>Text in several styles on one row of the terminal. Text that does not fit is cut off.</summary>
internal sealed class OneLine(IEnumerable<(string Text, Style Style)> parts) : Renderable
{
    protected override IEnumerable<Segment> Render(RenderOptions options, int maxWidth)
    {
        var room = maxWidth;
        foreach (var (text, style) in parts.Where(part => part.Text.Length > 0))
        {
            var segment = new Segment(text, style);
            var fits = segment.CellCount() <= room ? segment : Segment.Truncate(segment, room);
            if (room <= 0 || fits is null)
            {
                break;
            }

            yield return fits;
            room = segment.CellCount() <= room ? room - segment.CellCount() : 0;
        }

        yield return Segment.LineBreak;
    }
}
