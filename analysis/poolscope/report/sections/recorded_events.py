"""The events of another tool's trace by provider and name, beside what they are used for."""

from __future__ import annotations

from itertools import groupby

from poolscope.contract.analysis_json import AnalysisJson, EventCountJson
from poolscope.html.formatting import ABSENT, count, counted

USES = {
    "pool": "the pool's threads and goal",
    "waits": "locks and waits",
    "tasks": "tasks",
    "calls": "outgoing calls",
    "suspensions": "pauses of the runtime",
    "threads": "names of threads' ids",
    "methods": "names of methods",
    "samples": "where threads stood",
    "counters": "counters (those of the pool)",
    "process": "the process and its runtime",
    "kernel": "what the kernel did with threads",
}
"""Uses whose names in analysis.json need more words."""


def recorded_events(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the table of events, or None if Poolscope recorded the capture."""
    events = analysis.get("events")
    if events is None:
        return None
    return {
        "gist": f"{count(events['used'])} of {counted(events['total'], 'event')} are used.",
        "providers": [
            _provider(name, list(rows)) for name, rows in groupby(events["rows"], key=lambda row: row["provider"])
        ],
        "left_out": f"Left out: {counted(events['rows_left_out'], 'kind')} with "
        f"{counted(events['events_left_out'], 'event')}."
        if events["rows_left_out"]
        else "",
    }


def _provider(name: str, rows: list[EventCountJson]) -> dict[str, object]:
    total = sum(row["count"] for row in rows)
    used = sum(row["count"] for row in rows if row["used"] is not None)
    return {
        "name": name,
        "words": f"{counted(total, 'event')}, {count(used) if used else 'none'} used",
        "rows": [{"event": row["event"], "count": count(row["count"]), "used": _use(row["used"])} for row in rows],
    }


def _use(used: str | None) -> str:
    return ABSENT if used is None else USES.get(used, used)
