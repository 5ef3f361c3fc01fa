"""What a notebook shows of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from poolscope.html.notebook import bullets, card, paragraph, table

COLUMNS = ("setting", "mean wait", "p99 wait", "mean completion", "most threads")
RIGHT = (1, 2, 3, 4)


def prediction_html(cells: Sequence[str], why: Iterable[str]) -> str:
    """Shows one setting: its figures, in the order of COLUMNS, and what makes them uncertain."""
    return card(f"Prediction: {cells[0]}", table(COLUMNS, [cells], RIGHT), bullets(why))


def whatif_html(rows: Iterable[Sequence[str]], confidence: str, advice: Iterable[str]) -> str:
    """Returns all settings in one table, and the advice that follows."""
    said = paragraph(f"How well the simulation reproduces the capture: {confidence}.", faint=True)
    return card("What if", table(COLUMNS, rows, RIGHT), said, bullets(advice))
