"""Writes docs/measured/single-runs.md from single-runs.json: tables of figures that no command writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import repo

HEAD = """\
<!-- Generated from docs/measured/single-runs.json by `./build.sh docs`; edit that file instead. -->

# Measured: single runs

One or a few runs each, so take them as examples, not as limits. [How we measure](../how-we-measure.md) has the figures that are repeated.
"""


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def render(tables: list[dict[str, Any]]) -> str:
    """Returns the page as Markdown. Raises BuildError for a row whose cells do not match the columns."""
    lines = [HEAD]
    for table in tables:
        columns = table["columns"]
        if any(len(row) != len(columns) for row in table["rows"]):
            raise repo.BuildError(f"docs/measured/single-runs.json: {table['title']}: a row needs {len(columns)} cells")
        lines += [
            f"## {table['title']}",
            "",
            f"{table['note']} Explained in [{table['page']}](../{table['page']}).",
            "",
        ]
        lines += [_row(columns), _row(["---"] * len(columns)), *map(_row, table["rows"]), ""]
    return "\n".join(lines)


def _wanted() -> str:
    return render(json.loads(repo.SINGLE_RUNS.read_text(encoding="utf-8")))


def write(page: Path = repo.SINGLE_RUNS_PAGE) -> None:
    """Writes the page."""
    page.write_text(_wanted(), encoding="utf-8", newline="\n")


def up_to_date(page: Path = repo.SINGLE_RUNS_PAGE) -> bool:
    """Returns whether the page exists and matches the data."""
    return page.is_file() and page.read_text(encoding="utf-8") == _wanted()
