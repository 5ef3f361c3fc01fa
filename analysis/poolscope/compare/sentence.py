"""The answer in one or two sentences."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.base.words import change, duration
from poolscope.compare.judge import CANNOT_TELL, LONGER, NO_CHANGE, SHORTER, Row

SUBSETS = ("holding.mean", "dependency.mean")
"""Parts of a part: naming both would name the same time twice."""


def headline(rows: Sequence[Row], single: bool) -> str:
    """What changed first, then the part that did most of it."""
    waits, ends = _of(rows, "wait"), _of(rows, "completion")
    label = "Single runs: " if single else ""
    text = _group(waits, "wait") or _group(ends, "complete")
    if text is None:
        judged = [row.verdict for row in (*waits, *ends)]
        if all(verdict == CANNOT_TELL for verdict in judged):
            reason = waits[0].reason
            return f"{label}Cannot tell whether items wait longer or shorter: {reason}."
        open_rows = [row for row in (*waits, *ends) if row.verdict == CANNOT_TELL]
        if open_rows:
            names = ", ".join(row.quantity.words for row in open_rows)
            return f"{label}No change seen in what can be told; cannot tell: {names}."
        return f"{label}No change seen in how long items wait or take to complete."
    if not _group(waits, "wait"):
        text += " How long they wait did not change as far as can be seen."
    return label + text + _parts(rows)


def _of(rows: Sequence[Row], group: str) -> list[Row]:
    return [row for row in rows if row.quantity.group == group]


def _group(rows: Sequence[Row], verb: str) -> str | None:
    """One sentence about the wait or the completion; None where nothing of it changed."""
    longer = [row for row in rows if row.verdict == LONGER]
    shorter = [row for row in rows if row.verdict == SHORTER]
    if not longer and not shorter:
        return None
    lead = (longer or shorter)[0]
    words = {"wait": ("longer", "shorter"), "complete": ("later", "sooner")}[verb]
    if longer and shorter:
        other = shorter[0]
        return f"Items {verb} differently: {_told(lead)}, but {_told(other)}."
    return f"Items {verb} {words[0] if longer else words[1]}: {_told(lead)}."


def _told(row: Row) -> str:
    share = row.change_share
    assert share is not None and row.a_ms is not None and row.b_ms is not None
    return (
        f"{row.quantity.words} {change(share[0])} ({change(share[1])} to {change(share[2])}), "
        f"from {duration(row.a_ms)} to {duration(row.b_ms)}"
    )


def _parts(rows: Sequence[Row]) -> str:
    """The part of the wait that changed most, in the direction in which it did."""
    changed = [
        (abs(row.change_ms[0]), row)
        for row in _of(rows, "parts")
        if row.verdict in (LONGER, SHORTER) and row.quantity.key not in SUBSETS and row.change_ms is not None
    ]
    if not changed:
        parts = _of(rows, "parts")
        return (
            "" if all(row.verdict == NO_CHANGE for row in parts) else " Which part of the wait it was cannot be told."
        )
    most, row = max(changed, key=lambda pair: pair[0])
    assert row.change_ms is not None
    sign = "+" if row.change_ms[0] > 0 else "-"
    return f" The part that changed most is {row.quantity.words}: {sign}{duration(most)} on average."
