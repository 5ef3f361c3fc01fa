"""Small pieces of HTML for a notebook, without scripts, style sheets and images.

Text keeps the notebook's own colours, so it is readable in light and dark themes. Text from a capture is escaped here:
callers pass text, and combine only the results of these functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from poolscope.html.escape import html_text

COLOURS = {
    "injection": "#3d7edb",
    "blocking": "#d9822b",
    "core": "#8a63d2",
    "runtime": "#2f9e83",
    "unknown": "#888888",
}
"""Colours of the parts of a wait. Each one contrasts with a white and with a black background. The words beside them
say the same."""
_CARD = "border:1px solid rgba(128,128,128,.5);border-radius:6px;padding:.6em .9em;max-width:60em;line-height:1.45"
_CELL = "padding:.15em .8em .15em 0;vertical-align:top;text-align:"


def card(title: str, *parts: Markup) -> str:
    """Returns a framed box with a title, as a notebook shows one object."""
    heading = Markup('<div style="font-weight:600">{}</div>').format(html_text(title))
    return str(Markup('<div style="{}">{}</div>').format(_CARD, heading + Markup("").join(parts)))


def paragraph(text: str, faint: bool = False) -> Markup:
    """Returns one paragraph. A faint one is less important than its neighbours."""
    return Markup('<p style="margin:.4em 0{}">{}</p>').format(";opacity:.75" if faint else "", html_text(text))


def bullets(texts: Iterable[str]) -> Markup:
    """Returns a list, or nothing if there are no texts."""
    rows = Markup("").join(Markup("<li>{}</li>").format(html_text(text)) for text in texts)
    return Markup('<ul style="margin:.3em 0;padding-left:1.4em">{}</ul>').format(rows) if rows else Markup("")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> Markup:
    """Returns a table, with a heading unless all column names are empty. `right` has the indexes of the right-aligned
    columns."""
    side = ["right" if number in right else "left" for number in range(len(columns))]

    def row(tag: str, cells: Sequence[object]) -> Markup:
        made = (
            Markup('<{0} style="{1}{2}">{3}</{0}>').format(tag, _CELL, side[number], html_text(cell))
            for number, cell in enumerate(cells)
        )
        return Markup("<tr>{}</tr>").format(Markup("").join(made))

    head = Markup("<thead>{}</thead>").format(row("th", columns)) if any(columns) else Markup("")
    body = Markup("").join(row("td", cells) for cells in rows)
    whole = Markup('<table style="border-collapse:collapse;background:none">{}<tbody>{}</tbody></table>')
    return whole.format(head, body)


def split_bar(shares: Mapping[str, float], words: Mapping[str, str]) -> Markup:
    """Returns a bar of the parts of a wait. `shares` is 0 to 1 by cause; `words` is the text below the bar, by
    cause."""
    parts = Markup("").join(
        Markup('<div title="{}" style="width:{}%;background:{}"></div>').format(
            html_text(words[cause]), round(100 * share, 3), COLOURS[cause]
        )
        for cause, share in shares.items()
        if share > 0
    )
    keys = Markup(", ").join(
        Markup('<span><span style="color:{}">&#9632;</span> {}</span>').format(COLOURS[cause], html_text(words[cause]))
        for cause in shares
    )
    return Markup('<div style="display:flex;height:.9em;margin:.5em 0 .2em">{}</div><div>{}</div>').format(parts, keys)
