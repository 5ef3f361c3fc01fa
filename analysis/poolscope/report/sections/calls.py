"""The calls through HttpClient: how long they took, and what they waited for before they had a connection."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, CalledRouteJson, CallsJson
from poolscope.html.formatting import counted, duration


def calls_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """None where there were no calls."""
    calls = analysis["calls"]
    if calls is None:
        return None
    return {
        "said": calls_words(calls),
        "rows": [_row(route) for route in calls["routes"]],
        "left_out": calls["routes_left_out"],
    }


def calls_words(calls: CallsJson) -> str:
    """How many calls there were, how long they took, and what they waited for, in sentences."""
    latency = calls["latency_ms"]
    mean, p99 = (duration(latency[key], key in latency["at_least"]) for key in ("mean", "p99"))  # type: ignore[literal-required]
    said = f"{counted(calls['count'], 'call')} through HttpClient took {mean} on average, p99 {p99}"
    ended = [f"{calls[key]:,} {words}" for key, words in ENDS if calls[key]]  # type: ignore[literal-required]
    said += f"; {' and '.join(ended)}." if ended else "."
    waits = [f"{duration(calls[key])} {words}" for key, words in WAITS if calls[key] >= LEAST_MS]  # type: ignore[literal-required]
    return f"{said} Of that they waited {' and '.join(waits)}." if waits else said


ENDS = (("failed", "failed"), ("open", "had not ended when the capture did"))
WAITS = (
    ("connection_wait_ms", "for a connection of HttpClient's own pool"),
    ("thread_wait_ms", "for a thread once they had one"),
)
LEAST_MS = 0.1
"""A mean wait below this is not worth a word."""


def _row(route: CalledRouteJson) -> dict[str, object]:
    latency = route["latency_ms"]
    return {
        "name": f"{route['endpoint']}{route['route']}",
        "calls": f"{route['calls']:,}",
        "failed": f"{route['failed']:,}" if route["failed"] else "",
        "latency": [duration(latency[key], key in latency["at_least"]) for key in ("p50", "p99")],  # type: ignore[literal-required]
        "waits": [duration(route[key]) for key, _ in WAITS],  # type: ignore[literal-required]
    }
