"""The calls through HttpClient: how long they took, and their waits before they had a connection."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, CalledRouteJson, CallsJson
from poolscope.html.formatting import counted, duration
from poolscope.product.calls import UNKNOWN


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
    """Returns in sentences how many calls there were, how long they took, and their waits."""
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
    """Returns in a sentence the calls that began before the recording."""
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
"""The number of endpoints in the sentence, costliest first."""
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
"""A mean wait below this is not worth mentioning."""


def _call_row(route: CalledRouteJson) -> dict[str, object]:
    latency = route["latency_ms"]
    return {
        "name": f"{route['endpoint']}{route['route']}",
        "calls": f"{route['calls']:,}",
        "failed": f"{route['failed']:,}" if route["failed"] else "",
        "latency": [duration(latency[key], key in latency["at_least"]) for key in ("p50", "p99")],  # type: ignore[literal-required]
        "waits": [duration(route[key]) for key, _ in WAITS],  # type: ignore[literal-required]
    }
