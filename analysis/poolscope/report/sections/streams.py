"""The streams of a recording, their losses, and the tool that wrote them; and the events of another tool's trace, by
provider and name, with their use."""

from __future__ import annotations

from itertools import groupby

from poolscope.capture.capture import ETW
from poolscope.contract.analysis_json import AnalysisJson, CaptureCardJson, EventCountJson
from poolscope.html.formatting import ABSENT, count, counted, moment, percent, size

Row = tuple[str, object]
"""A label and its value, or None without a value."""

WROTE = {
    "nettrace": "dotnet-trace, or another user of EventPipe",
    "perf.data": "perf record",
    "perf-script": "text of perf script",
}
"""The tools that write each format."""

LOSSES = {
    "eventpipe_lost": "events dropped because the process's buffer was full",
    "perf_lost": "events dropped because a ring was full",
    "cut": "the rest of the file",
    "throttled": "CPU samples not taken",
    "damaged": "everything after the damage in the file",
}

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


def of_other_tool(capture: CaptureCardJson) -> bool:
    """Returns whether another tool recorded it, or may have: a capture from Windows does not show which."""
    return bool(capture["made_from"]) or any(stream["tier"] == ETW for stream in capture["streams"])


def made_from(capture: CaptureCardJson) -> str | None:
    """Names other tools' files and the tools that wrote them. None if Poolscope recorded the capture."""
    return ", ".join(f"{s['from']} ({WROTE.get(s['format'], s['format'])})" for s in capture["made_from"] or []) or None


def evidence_rows(analysis: AnalysisJson) -> list[Row]:
    """Returns all streams together: what recorded them, their size, and their losses."""
    capture, coverage = analysis["capture"], analysis["coverage"]
    tiers = list(dict.fromkeys(str(stream["tier"]) for stream in capture["streams"]))
    events = sum(max(stream["events"], 0) for stream in capture["streams"])
    lost = sum(max(stream["lost"], 0) for stream in capture["streams"])
    unknown = any(stream["lost"] < 0 for stream in capture["streams"])
    share = f" ({percent(lost / (events + lost))})" if lost else ""
    return [
        ("Tiers", ", ".join(tiers)),
        (
            "Events",
            f"{counted(events, 'event')} in {counted(len(capture['streams']), 'stream')}"
            if capture["streams"]
            else None,
        ),
        ("Lost", f"{counted(lost, 'event')}{share}{', and an unknown number' if unknown else ''}"),
        (
            "Coverage",
            f"{count(coverage['joined'])} of {counted(coverage['items'], 'item')} seen from enqueue to dequeue"
            if coverage["items_recorded"]
            else "work items not recorded",
        ),
    ]


def stream_rows(analysis: AnalysisJson) -> list[dict[str, object]]:
    """Returns each stream: its file, what recorded it, its size and its losses."""
    return [
        {
            "file": stream["file"],
            "tier": stream["tier"],
            "events": count(stream["events"]),
            "bytes": size(stream["bytes"]),
            "lost": count(stream["lost"]),
            "cut": stream["file"] in analysis["coverage"]["cut"],
        }
        for stream in analysis["capture"]["streams"]
    ]


def loss_rows(analysis: AnalysisJson) -> list[dict[str, object]]:
    """Returns each loss: its stream, its size, its time, and the share of the waits inside it."""
    return [
        {
            "stream": loss["stream"],
            "what": LOSSES.get(loss["what"], loss["what"]),
            "count": count(loss["count"]),
            "gaps": count(loss["gaps"]),
            "when": f"{moment(loss['first_s'])} to {moment(loss['last_s'])}",
            "length": moment(loss["length_s"]),
            "items": count(loss["items"]),
            "share": percent(loss["wait_share"]),
        }
        for loss in analysis["coverage"]["losses"]
    ]


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
