"""What the terminal and the page say of a comparison's JSON in the same words."""

from __future__ import annotations

from poolscope.base.words import change
from poolscope.compare.comparison_json import ComparisonJson, RowJson
from poolscope.compare.conditions import WORDS
from poolscope.html.formatting import ABSENT, duration

RATIO_GROUPS = ("wait", "completion")
"""Groups whose rows are all judged by shares."""


def changed(row: RowJson) -> str:
    """The estimate: of a statistic as a share, of a part in ms, because that is what it adds to the whole."""
    if row["change_ms"] is None:
        return ABSENT
    share = _share(row)
    return signed(row["change_ms"][0]) if share is None else change(share[0])


def range_of(row: RowJson) -> str:
    """The 95 % interval, in the estimate's unit."""
    if row["change_ms"] is None:
        return ""
    share = _share(row)
    values, said = (row["change_ms"], signed) if share is None else (share, change)
    return f"{said(values[1])} to {said(values[2])}"


def _share(row: RowJson) -> list[float] | None:
    """The change as a share; None of a row that is judged in ms."""
    return row["change_share"] if row["group"] in RATIO_GROUPS or row["key"] == "execution.mean" else None


def signed(ms: float) -> str:
    """A difference of durations."""
    return f"+{duration(ms)}" if ms > 0 else duration(ms)


def between_sides(content: ComparisonJson) -> list[tuple[str, str, str]]:
    """What differs between the sides beside the wait: words, side A, side B."""
    return _conditions(content, True)


def within_sides(content: ComparisonJson) -> list[tuple[str, str, str]]:
    """What differs among the captures of one side, alike on both."""
    return _conditions(content, False)


def _conditions(content: ComparisonJson, between: bool) -> list[tuple[str, str, str]]:
    return [
        (WORDS[d["what"]], " | ".join(d["a"]), " | ".join(d["b"]))
        for d in content["differs"]
        if d["between_sides"] is between
    ]
