"""The table of docs/measured/faults.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from .outcome import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "measured" / "faults.md"
BEGIN = "<!-- measured: begin (made by ./build.sh bench faults) -->"
END = "<!-- measured: end -->"

HELD = {True: "held", False: "**did not hold**", None: "not tried"}


def table(rows: Iterable[Outcome]) -> str:
    """Returns all outcomes as a Markdown table."""
    lines = ["| situation | what happens | measured | |", "| --- | --- | --- | --- |"]
    for row in rows:
        cells = (row.situation, row.happens, row.measured, HELD[row.held])
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def write(rows: Iterable[Outcome], missing: Sequence[str] = ()) -> None:
    """Puts the table into the page, in place of the old one. `missing`: scenarios that were not run."""
    text = PAGE.read_text("utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:begin] + "\n" + table(rows) + _rest(missing) + text[end:], "utf-8")


def _rest(missing: Sequence[str]) -> str:
    return f"\nWritten, and not run for this page: {', '.join(f'`{name}`' for name in missing)}.\n" if missing else ""
