"""What the target says of its own work: the activities of ActivitySources, how long they took, by operation, and what that time
was; the calls through HttpClient, how long they took, and what they waited for before they had a connection."""

from __future__ import annotations

from typing import TypedDict

from poolscope.contract.analysis_json import (
    ActivitiesJson,
    ActivityKindJson,
    AnalysisJson,
    CalledRouteJson,
    CallsJson,
    SummaryJson,
)
from poolscope.html.formatting import counted, duration, moment, percent
from poolscope.product.activities import UNKNOWN
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
    """Returns how many activities there were, and of how many an end or the beginning was not seen, in a sentence."""
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
    """Empty: none."""
    carried: str
    """Empty: none."""
    duration: list[str]
    """By QUANTILES; empty if none began in the capture."""
    mostly: str
    """Its largest part; empty if none was seen from begin to end."""
    longest: str


def activity_row(kind: ActivityKindJson) -> ActivityRow:
    """Names, numbers and durations of one operation."""
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
    """Returns when it began, and its trace."""
    one = kind["longest"]
    if one is None:
        return ""
    return f"{moment(one['start_s'])}, trace {one['trace_id']}" if one["trace_id"] else moment(one["start_s"])


def _part(kind: ActivityKindJson, name: str) -> float:
    """Returns a mean part, ms; 0 if activities do not have it."""
    parts: dict[str, float] = dict(kind["parts_ms"] or {})  # type: ignore[arg-type]
    return parts.get(name, 0.0)


def _parts(kind: ActivityKindJson, names: list[str]) -> dict[str, object]:
    """Returns the means of an operation's parts; `names` are those of the parts that any operation has."""
    means = [_part(kind, name) for name in names]
    return {
        "source": kind["source"],
        "operation": kind["operation"],
        "mean": duration(sum(means)),
        "parts": [duration(ms) if ms else "" for ms in means],
    }


def calls_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the section of calls, or None if there were none."""
    calls = analysis["calls"]
    if calls is None:
        return None
    return {
        "said": calls_words(calls),
        "rows": [_call_row(route) for route in calls["routes"]],
        "left_out": calls["routes_left_out"],
    }


def calls_words(calls: CallsJson) -> str:
    """Returns how many calls there were, how long they took, and what they waited for, in sentences."""
    latency = calls["latency_ms"]
    mean, p99 = (duration(latency[key], key in latency["at_least"]) for key in ("mean", "p99"))  # type: ignore[literal-required]
    if calls["count"] == 0:
        return earlier_words(calls)
    said = f"{counted(calls['count'], 'call')} through HttpClient took {mean} on average, p99 {p99}"
    ended = [f"{calls[key]:,} {words}" for key, words in CALL_ENDS if calls[key]]  # type: ignore[literal-required]
    said += f"; {' and '.join(ended)}." if ended else "."
    waits = [f"{duration(calls[key])} {words}" for key, words in WAITS if calls[key] >= LEAST_MS]  # type: ignore[literal-required]
    said = f"{said} Of that they waited {' and '.join(waits)}." if waits else said
    return f"{said} {earlier_words(calls)}" if calls["earlier"] else said


def earlier_words(calls: CallsJson) -> str:
    """Returns the calls that had begun before the recording, in a sentence."""
    earlier = calls["earlier"]
    if earlier is None:
        return "HttpClient made no calls."
    longest = duration(earlier["latency_ms"]["max"], at_least=True)
    said = f"{counted(earlier['count'], 'call')} through HttpClient had begun before the recording and got an answer in it, the last "
    said += f"after {longest}. HttpClient reports nothing about calls that got none."
    known = [row for row in earlier["endpoints"] if row["endpoint"] != UNKNOWN][:NAMED]
    named = [f"{row['calls']:,} by {row['endpoint']} after up to {duration(row['latency_ms']['max'])}" for row in known]
    return f"{said} They were answered: {', '.join(named)} of the recording." if named else said


NAMED = 3
"""Endpoints in the sentence, the costliest."""
CALL_ENDS = (
    ("failed", "failed"),
    ("open", "had not ended when the capture did"),
    ("untold", "have no known end, because another call began inside them"),
)
WAITS = (
    ("connection_wait_ms", "for a connection of HttpClient's own pool"),
    ("thread_wait_ms", "for a thread once they had one"),
)
LEAST_MS = 0.1
"""A mean wait below this is not worth a word."""


def _call_row(route: CalledRouteJson) -> dict[str, object]:
    latency = route["latency_ms"]
    return {
        "name": f"{route['endpoint']}{route['route']}",
        "calls": f"{route['calls']:,}",
        "failed": f"{route['failed']:,}" if route["failed"] else "",
        "latency": [duration(latency[key], key in latency["at_least"]) for key in ("p50", "p99")],  # type: ignore[literal-required]
        "waits": [duration(route[key]) for key, _ in WAITS],  # type: ignore[literal-required]
    }
