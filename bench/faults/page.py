"""The table of docs/faults.md."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .outcome import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "faults.md"
BEGIN = "<!-- measured: begin (made by ./build.sh bench faults) -->"
END = "<!-- measured: end -->"

HELD = {True: "held", False: "**did not hold**", None: "not tried"}


def table(rows: Iterable[Outcome]) -> str:
    """All outcomes as a Markdown table."""
    lines = ["| situation | what happens | measured | |", "| --- | --- | --- | --- |"]
    for row in rows:
        cells = (row.situation, row.happens, row.measured, HELD[row.held])
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def write(rows: Iterable[Outcome]) -> None:
    """Puts the table into the page, in place of the one before."""
    text = PAGE.read_text("utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:begin] + "\n" + table(rows) + text[end:], "utf-8")
