using Spectre.Console;
using Spectre.Console.Rendering;

namespace Poolscope.Collect.Views;

/// <summary>Text in several styles that takes one row of the terminal: what does not fit is cut off.</summary>
internal sealed class OneLine(IEnumerable<(string Text, Style Style)> parts) : Renderable
{
    protected override IEnumerable<Segment> Render(RenderOptions options, int maxWidth) =>
        [.. Segment.Truncate(parts.Where(part => part.Text.Length > 0).Select(part => new Segment(part.Text, part.Style)), maxWidth), Segment.LineBreak];
}
