"""What the terminal and the page say of a comparison's JSON in the same words."""

from __future__ import annotations

from typing import Any

from poolscope.base.words import change
from poolscope.compare.conditions import WORDS
from poolscope.html.formatting import ABSENT, duration

RATIO_GROUPS = ("wait", "completion")
"""Groups whose rows are all judged by shares."""


def changed(row: dict[str, Any]) -> str:
    """The estimate: of a statistic as a share, of a part in ms, because that is what it adds to the whole."""
    if row["change_ms"] is None:
        return ABSENT
    return change(row["change_share"][0]) if _by_share(row) else signed(row["change_ms"][0])


def range_of(row: dict[str, Any]) -> str:
    """The 95 % interval, in the estimate's unit."""
    if row["change_ms"] is None:
        return ""
    values, said = (row["change_share"], change) if _by_share(row) else (row["change_ms"], signed)
    return f"{said(values[1])} to {said(values[2])}"


def _by_share(row: dict[str, Any]) -> bool:
    return (row["group"] in RATIO_GROUPS or row["key"] == "execution.mean") and row["change_share"] is not None


def signed(ms: float) -> str:
    """A difference of durations."""
    return f"+{duration(ms)}" if ms > 0 else duration(ms)


def between_sides(content: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What differs between the sides beside the wait: words, side A, side B."""
    return _conditions(content, True)


def within_sides(content: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What differs among the captures of one side, alike on both."""
    return _conditions(content, False)


def _conditions(content: dict[str, Any], between: bool) -> list[tuple[str, str, str]]:
    return [
        (WORDS[d["what"]], " | ".join(d["a"]), " | ".join(d["b"]))
        for d in content["differs"]
        if d["between_sides"] is between
    ]
