"""What the terminal and the page say of a comparison's JSON in the same words."""

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
"""The end of an interval beyond which no number is given: two very different runs leave it anywhere."""


LATE_COLUMNS = ("Late", "Cost", "Where", "Method or service")


def late_rows(content: ComparisonJson) -> list[tuple[str, ...]]:
    """Returns of each capture its side and number, its name, and LATE_COLUMNS; none if no capture has late requests."""
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
        # Any other verdict is about work items, and late requests are not looked for beside it.
        return "none" if verdict == "healthy" else ABSENT, ABSENT, verdict, ""
    count = late_words(late["unit"], late["late"], late["of"])
    name = ", ".join(name for name in (late["method"], late["endpoint"]) if name)
    return count, duration(1e3 * late["seconds"]), late["place"] or "not known", name


def named(row: RowJson) -> str:
    """Returns what the row is of: its words, and the route where it has one."""
    return row["words"] if row["route"] is None else f"{row['words']}, {row['http_method']} {row['route']}"


def value(row: RowJson, side: Literal["a", "b"]) -> str:
    """Returns the value of a side, with its sign if it is a lower bound."""
    ms, share = (row["a_ms"], row["a_share"]) if side == "a" else (row["b_ms"], row["b_share"])
    return percent(share) if share is not None else duration(ms, side in row["at_least"])


def changed(row: RowJson) -> str:
    """Returns the estimate: of a statistic as a share, of a part in ms, because that is what it adds to the whole, of a share in
    points. A bound if one side is one; nothing is known where both are."""
    if row["change_points"] is not None:
        return points(row["change_points"][0])
    if row["change_ms"] is None or len(row["at_least"]) == 2:
        return ABSENT
    share = _share(row)
    sign = "" if not row["at_least"] else AT_MOST if row["at_least"] == ["a"] else AT_LEAST
    return sign + (signed(row["change_ms"][0]) if share is None else relative(share[0]))


def range_of(row: RowJson) -> str:
    """Returns the 95 % interval, in the estimate's unit; none of a bound."""
    if row["change_points"] is not None:
        # The interval of a share may end beyond what a share can be.
        _, low, high = row["change_points"]
        return f"{points(max(low, -1.0))} to {points(min(high, 1.0))}"
    if row["change_ms"] is None or row["at_least"]:
        return ""
    share = _share(row)
    values, said = (row["change_ms"], signed) if share is None else (share, relative)
    return f"{said(values[1])} to {said(values[2])}"


def _share(row: RowJson) -> list[float] | None:
    """Returns the change as a share; None of a row that is judged in ms."""
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
    """Returns what differs between the sides beside the wait: words, side A, side B."""
    return _conditions(content, True)


def within_sides(content: ComparisonJson) -> list[tuple[str, str, str]]:
    """Returns what differs among the captures of one side, alike on both."""
    return _conditions(content, False)


def _conditions(content: ComparisonJson, between: bool) -> list[tuple[str, str, str]]:
    return [
        (WORDS[d["what"]], " | ".join(d["a"]), " | ".join(d["b"]))
        for d in content["differs"]
        if d["between_sides"] is between
    ]
