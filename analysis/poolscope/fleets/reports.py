"""Writes the own reports of captures that a fleet's page names, beside the page, on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from poolscope.base.errors import PoolscopeError
from poolscope.base.files import PRIVATE_FOLDER, write_text
from poolscope.capture.fitting import open_fitting
from poolscope.fleets.answer import FleetAnswer
from poolscope.fleets.sources import fetched
from poolscope.product import analyse
from poolscope.report.rendering import render

NAME = 60
"""Characters of a capture's name in the file name of its report."""


def named_captures(answer: FleetAnswer, most: int) -> list[str]:
    """Returns the sources of at most `most` captures that a page should link reports of: the worst of each row, then
    outliers."""
    worst = []
    for row in answer.ranking:
        mine = [answer.rows[int(at)] for at in row.captures]
        worst += (
            [max(mine, key=lambda one: (one.wait.mean if one.wait.count else 0.0, one.source)).source] if mine else []
        )
    return list(dict.fromkeys([*worst, *(one.row.source for one in answer.outliers)]))[:most]


def write_reports(
    page: Path, sources: Sequence[str], late_ms: float, progress: Callable[[str], None] = lambda source: None
) -> dict[str, str]:
    """Writes the report of each source into the folder `NAME-reports` beside `page`, and returns relative links to
    them.

    A source that cannot be read from here, such as a file of another machine, has no link.
    """
    folder = page.with_name(f"{page.stem}-reports")
    links: dict[str, str] = {}
    for number, source in enumerate(sources, 1):
        progress(source)
        name = f"{number:02}-{_plain(source)}.html"
        try:
            with fetched(source) as path:
                content = analyse(open_fitting(path), late_limit_ms=late_ms).to_json()
            folder.mkdir(PRIVATE_FOLDER, exist_ok=True)
            write_text(folder / name, render(content))
        except PoolscopeError:
            continue
        links[source] = f"{quote(folder.name)}/{quote(name)}"
    return links


def _plain(source: str) -> str:
    """Returns the last part of a path or URL, reduced to characters without a special meaning in either."""
    last = source.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".zip")
    return (
        "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in last)[:NAME].lstrip(".") or "capture"
    )
