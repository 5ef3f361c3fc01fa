"""The words for a comparison's JSON that the terminal and the page share."""

from __future__ import annotations

from typing import Literal

from poolscope.base.words import change
from poolscope.compare.comparison_json import ComparisonJson, LatenessJson, RowJson
from poolscope.compare.conditions import WORDS
from poolscope.findings.finding import late_words
from poolscope.html.formatting import ABSENT, AT_LEAST, AT_MOST, duration, percent

RATIO_GROUPS = ("wait", "completion", "requests", "routes")
"""Groups whose rows are all judged by shares."""
MOST_TIMES = 1000
"""The largest end of an interval that is given as a number: very different runs put it almost anywhere."""


LATE_COLUMNS = ("Late", "Cost", "Where", "Method or service")


def late_rows(content: ComparisonJson) -> list[tuple[str, ...]]:
    """Returns the side and number of each capture, its name, and LATE_COLUMNS; empty if no capture has late
    requests."""
    if not content["places"]:
        return []
    sides = (("A", content["a"]), ("B", content["b"]))
    return [
        (f"{side}{number}", run["name"], *late_cells(run["late"], run["verdict"]))
        for side, runs in sides
        for number, run in enumerate(runs, 1)
    ]


def late_cells(late: LatenessJson | None, verdict: str) -> tuple[str, str, str, str]:
    """Returns LATE_COLUMNS of one capture."""
    if late is None:
        # Any other verdict is about work items, and then Poolscope does not search for late requests.
        return "none" if verdict == "healthy" else ABSENT, ABSENT, verdict, ""
    count = late_words(late["unit"], late["late"], late["of"])
    name = ", ".join(name for name in (late["method"], late["endpoint"]) if name)
    return count, duration(1e3 * late["seconds"]), late["place"] or "not known", name


def named(row: RowJson) -> str:
    """Returns the name of the row: its words, and the route if it has one."""
    return row["words"] if row["route"] is None else f"{row['words']}, {row['http_method']} {row['route']}"


def value(row: RowJson, side: Literal["a", "b"]) -> str:
    """Returns the value of a side, with a sign if it is a lower bound."""
    ms, share = (row["a_ms"], row["a_share"]) if side == "a" else (row["b_ms"], row["b_share"])
    return percent(share) if share is not None else duration(ms, side in row["at_least"])


def changed(row: RowJson) -> str:
    """Returns the estimate: a statistic as a share; a part in ms, the amount that it adds to the whole; a share in
    points. It is a bound if one side is a bound, and absent if both are."""
    if row["change_points"] is not None:
        return points(row["change_points"][0])
    if row["change_ms"] is None or len(row["at_least"]) == 2:
        return ABSENT
    share = _share(row)
    sign = "" if not row["at_least"] else AT_MOST if row["at_least"] == ["a"] else AT_LEAST
    return sign + (signed(row["change_ms"][0]) if share is None else relative(share[0]))


def range_of(row: RowJson) -> str:
    """Returns the 95 % interval, in the estimate's unit; empty for a bound."""
    if row["change_points"] is not None:
        # The interval of a share may extend beyond the range of a share.
        _, low, high = row["change_points"]
        return f"{points(max(low, -1.0))} to {points(min(high, 1.0))}"
    if row["change_ms"] is None or row["at_least"]:
        return ""
    share = _share(row)
    values, said = (row["change_ms"], signed) if share is None else (share, relative)
    return f"{said(values[1])} to {said(values[2])}"


def _share(row: RowJson) -> list[float] | None:
    """Returns the change as a share; None for a row that is judged in ms."""
    return row["change_share"] if row["group"] in RATIO_GROUPS or row["key"] == "execution.mean" else None


def relative(share: float) -> str:
    """Returns a change as a share of side A."""
    return f"over {MOST_TIMES:,} times" if share >= MOST_TIMES else change(share)


def points(share: float) -> str:
    """Returns a difference of two shares."""
    number = round(100 * share)
    return f"{number:+d} points" if number else "0 points"


def signed(ms: float) -> str:
    """Returns a difference of durations."""
    return f"+{duration(ms)}" if ms > 0 else duration(ms)


def between_sides(content: ComparisonJson) -> list[tuple[str, str, str]]:
    """Returns the conditions that differ between the sides: words, side A, side B."""
    return _conditions(content, True)


def within_sides(content: ComparisonJson) -> list[tuple[str, str, str]]:
    """Returns the conditions that differ among the captures of one side, in the same way on both sides."""
    return _conditions(content, False)


def _conditions(content: ComparisonJson, between: bool) -> list[tuple[str, str, str]]:
    return [
        (WORDS[d["what"]], " | ".join(d["a"]), " | ".join(d["b"]))
        for d in content["differs"]
        if d["between_sides"] is between
    ]
