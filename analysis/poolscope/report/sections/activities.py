"""The activities of ActivitySources: how long they took, by operation, and the parts of that time."""

from __future__ import annotations

from typing import TypedDict

from poolscope.contract.analysis_json import ActivitiesJson, ActivityKindJson, AnalysisJson, SummaryJson
from poolscope.html.formatting import counted, duration, moment, percent
from poolscope.product.requests import PART_WORDS


QUANTILES = ("p50", "p90", "p99", "max")
ENDS = (("open", "had not ended when the capture did"), ("carried", "had begun before it"))


def activities_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the section of activities, or None if none was recorded."""
    activities = analysis["activities"]
    if activities is None:
        return None
    split = [kind for kind in activities["kinds"] if kind["parts_ms"]]
    names = [name for name in PART_WORDS if any(_part(kind, name) for kind in split)]
    return {
        "said": activities_words(activities),
        "rows": [activity_row(kind) for kind in activities["kinds"]],
        "parts": [_parts(kind, names) for kind in split],
        "part_words": [PART_WORDS[name] for name in names],
        "left_out": activities["kinds_left_out"],
    }


def activities_words(activities: ActivitiesJson) -> str:
    """Returns in a sentence how many activities there were, and how many lack an end or a beginning."""
    kinds = len(activities["kinds"]) + activities["kinds_left_out"]
    said = f"{counted(activities['count'], 'activity', 'activities')} of {counted(kinds, 'operation')}"
    ends = [f"{activities[key]:,} {words}" for key, words in ENDS if activities[key]]  # type: ignore[literal-required]
    return f"{said}; {' and '.join(ends)}." if ends else f"{said}."


class ActivityRow(TypedDict):
    """One operation as text."""

    source: str
    operation: str
    count: str
    open: str
    """Empty if there are none."""
    carried: str
    """Empty if there are none."""
    duration: list[str]
    """By QUANTILES. Empty if none began in the capture."""
    mostly: str
    """The largest part. Empty if no activity was recorded from begin to end."""
    longest: str


def activity_row(kind: ActivityKindJson) -> ActivityRow:
    """Returns names, numbers and durations of one operation."""
    return {
        "source": kind["source"],
        "operation": kind["operation"],
        "count": f"{kind['count']:,}",
        "open": f"{kind['open']:,}" if kind["open"] else "",
        "carried": f"{kind['carried']:,}" if kind["carried"] else "",
        "duration": _durations(kind["duration_ms"]),
        "mostly": _mostly(kind),
        "longest": _longest(kind),
    }


def _durations(summary: SummaryJson) -> list[str]:
    if summary["max"] is None:
        return ["", "", "", ""]
    return [duration(summary[key], key in summary["at_least"]) for key in QUANTILES]  # type: ignore[literal-required]


def _mostly(kind: ActivityKindJson) -> str:
    parts: dict[str, float] = dict(kind["parts_ms"] or {})  # type: ignore[arg-type]
    total = sum(parts.values())
    if not total:
        return ""
    name = max(parts, key=parts.__getitem__)
    return f"{PART_WORDS[name]} ({percent(parts[name] / total)})"


def _longest(kind: ActivityKindJson) -> str:
    """Returns the beginning and the trace of the longest activity."""
    one = kind["longest"]
    if one is None:
        return ""
    return f"{moment(one['start_s'])}, trace {one['trace_id']}" if one["trace_id"] else moment(one["start_s"])


def _part(kind: ActivityKindJson, name: str) -> float:
    """Returns a mean part, ms, or 0 if activities do not have it."""
    parts: dict[str, float] = dict(kind["parts_ms"] or {})  # type: ignore[arg-type]
    return parts.get(name, 0.0)


def _parts(kind: ActivityKindJson, names: list[str]) -> dict[str, object]:
    """Returns the means of an operation's parts. `names` are the parts that any operation has."""
    means = [_part(kind, name) for name in names]
    return {
        "source": kind["source"],
        "operation": kind["operation"],
        "mean": duration(sum(means)),
        "parts": [duration(ms) if ms else "" for ms in means],
    }
