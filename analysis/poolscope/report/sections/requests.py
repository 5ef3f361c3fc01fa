"""The requests of a web service: how long they took, the parts of that time, by route, by service, and the stories of
the worst."""

from __future__ import annotations

from collections.abc import Mapping

from poolscope.contract.analysis_json import (
    AnalysisJson,
    OtherServicesJson,
    RequestsJson,
    RequestStepJson,
    RouteJson,
    ServiceJson,
    SummaryJson,
    WorstRequestJson,
)
from poolscope.html.formatting import counted, duration, moment, percent
from poolscope.product.requests import PART_WORDS
from poolscope.report.sections.split import QUANTILES, bar

PLACE_WORDS = {
    **PART_WORDS,
    "queued": "their items in the queue",
    "stopped": "the whole process was stopped",
    "held": "unread: {thread}, which reads it, was in something else",
    "service": "waiting for an answer of {endpoint}",
    "silent": "{endpoint} owed answers and was silent",
    "shared": "until data came on a shared connection to {endpoint}",
    "thread": "until the thread {thread}, outside the pool, resumed them",
    "client": "the client was slow to take the answer",
    "answering": "after the first byte of the answer",
    "unknown": "no event shows",
}
"""The places of late requests."""
WAITED = 0.1
"""A share of the mean latency. If requests waited less than this for a thread, a bar of the causes of that wait would
distract."""
LEAST_PART = 0.01
"""A share of the mean latency. Smaller parts are only in the folded table."""
SHOWN = 5
"""The number of routes shown. The others are folded."""
STEP_WORDS = {
    "unread": "lay in the socket until item {item} read it",
    "queued": "item {item} was in the queue",
    "executed": "item {item} ran",
    "service": "{endpoint} had not answered yet",
    "timer": "a timer ended a wait that no event shows",
    "shared": "data on a shared connection to {endpoint} ended a wait that no event shows",
    "thread": "a thread outside the pool ended a wait that no event shows, and queued item {item}",
    "other": "no event shows what it waited for",
}
UNTIED = {
    "followed": "Poolscope could not tie any to its bytes.",
    "not_recorded": "Their arrival times are unknown: that needs the kernel's socket events (tier tracepoint of Linux, "
    "without --no-sockets).",
    "not_told": "Windows does not report when their bytes arrived, or which thread read them.",
}
"""Why no latency is known, by `arrivals`."""
APPLICATION = (
    "The capture shows how long each was in the application, but not how long it waited before that, unread or in the "
    "server's queue."
)


def requests_section(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns the section of requests, or None if there were none."""
    requests = analysis["requests"]
    if requests is None:
        return None
    parts, waits = requests["parts_ms"], requests["wait_ms"]
    rows = [_route(route) for route in requests["routes"]]
    total = sum(parts.values()) if parts else 0.0  # type: ignore[arg-type]
    by_cause: Mapping[str, float] = {{"other": "unknown"}.get(name, name): ms for name, ms in waits.items()} if waits else {}  # type: ignore[misc]
    # If no stream of the pool shows the cause, the places of the late requests say more than a bar that shows it as
    # unknown.
    told_by_place = requests["late"] is not None and by_cause.get("unknown", 0.0) > sum(by_cause.values()) / 2
    return {
        "count": requests["count"],
        "answered": requests["answered"],
        "mean": duration(total, requests["earlier"] is not None) if parts else None,
        "timed": requests["latency_ms"]["mean"] is not None,
        "coverage": coverage_words(requests),
        "quantiles": [words for _, words in QUANTILES],
        "latency": _latency(requests),
        "bounds": bool(requests["latency_ms"]["at_least"]),
        "parts": request_parts(parts),
        "main_parts": _main_parts(parts),
        "bar": bar(by_cause) if sum(by_cause.values()) >= WAITED * total and not told_by_place else [],
        "waited": duration(sum(waits.values())) if waits else None,  # type: ignore[arg-type]
        "late": late_words(requests),
        "places": late_places(requests),
        "routes": rows[:SHOWN],
        "application": None if requests["tied"] else _summary(requests["application_ms"]),
        "more_routes": rows[SHOWN:],
        "routes_left_out": requests["routes_left_out"],
        "services": [_service(service) for service in requests["services"]],
        "other_services": _others(requests["services_left_out"]),
        "worst": [_story(story) for story in requests["worst"]],
    }


def coverage_words(requests: RequestsJson) -> str:
    """Returns in sentences how many of them have figures."""
    count, tied, earlier = requests["count"], requests["tied"], requests["earlier"]
    before = ""
    if earlier is not None:
        longest = duration(earlier["latency_ms"]["max"], True)
        before = f" {counted(earlier['count'], 'request')} had arrived before the recording: their latency is a lower bound, the longest {longest}."
    if requests["silent"]:
        before += (
            f" At least {counted(requests['silent'], 'other connection')} opened before the recording. They were "
            "idle, or their answers were already on the way, or their requests neither began nor ended in it; no event "
            "shows which."
        )
    if tied == 0 and requests["latency_ms"]["mean"] is not None:
        return f"None of the {counted(count, 'request')} that began in the recording could be tied to the bytes that it came in.{_waiting(requests)}{before}"
    if tied == 0:
        return f"{counted(count, 'request')} began. {UNTIED[requests['arrivals']]} {APPLICATION}"
    said = f"{tied:,} of {counted(count, 'request')} could be tied to the bytes that they came in ({percent(tied / count)})"
    unanswered = tied - requests["answered"]
    said += f"; {unanswered:,} of these had no answer when the capture ended." if unanswered else "."
    return said + _waiting(requests) + before


def late_words(requests: RequestsJson) -> str | None:
    """Returns a sentence on how many were late, or None if too few were."""
    late = requests["late"]
    if late is None:
        return None
    return (
        f"{late['count']:,} of {counted(requests['count'], 'request')} were late: a second or more, and five times what their route "
        f"usually takes. They took {duration(late['total_ms'])} in all, the longest {duration(late['longest_ms'])}."
    )


def late_places(requests: RequestsJson) -> list[dict[str, object]]:
    """Returns the places of late requests: words, total time, share and its percentage."""
    late = requests["late"]
    if late is None:
        return []
    return [
        {
            "words": PLACE_WORDS[place["place"]].format(endpoint=place["endpoint"], thread=place["thread"]),
            "ms": duration(place["ms"]),
            "share": percent(place["ms"] / late["total_ms"]),
            "width": round(100 * place["ms"] / late["total_ms"], 1),
        }
        for place in late["places"]
    ]


def _waiting(requests: RequestsJson) -> str:
    waiting = requests["waiting"]
    return f" On {counted(waiting, 'connection')} data had arrived, but no request had begun." if waiting else ""


def _latency(requests: RequestsJson) -> list[str]:
    latency = requests["latency_ms"]
    return [duration(latency[key], key in latency["at_least"]) for key, _ in QUANTILES]


def application_words(requests: RequestsJson) -> str | None:
    """Returns how long requests were in the application, or None if the capture shows more."""
    if requests["tied"]:
        return None
    median, p99, longest = _summary(requests["application_ms"])
    return f"In the application: median {median}, p99 {p99}, longest {longest}."


def _summary(summary: SummaryJson) -> list[str]:
    """Returns median, p99 and longest."""
    return [duration(summary[key], key in summary["at_least"]) for key in ("p50", "p99", "max")]  # type: ignore[literal-required]


def request_parts(parts: Mapping[str, object] | None) -> list[tuple[str, str, str]]:
    """Returns words, mean and share of each part that is not 0."""
    known = {name: float(ms) for name, ms in (parts or {}).items()}  # type: ignore[arg-type]
    total = sum(known.values())
    return [(PART_WORDS[name], duration(ms), percent(ms / total)) for name, ms in known.items() if ms > 0]


def _main_parts(parts: Mapping[str, object] | None) -> list[tuple[str, str, str]]:
    """Returns the parts like `request_parts`, longest first, with those below a hundredth summed."""
    known = {name: float(ms) for name, ms in (parts or {}).items() if float(ms) > 0}  # type: ignore[arg-type]
    total = sum(known.values())
    main = sorted((name for name in known if known[name] >= LEAST_PART * total), key=lambda name: -known[name])
    rest = total - sum(known[name] for name in main)
    rows = [(PART_WORDS[name], duration(known[name]), percent(known[name] / total)) for name in main]
    return [*rows, ("all else", duration(rest), percent(rest / total))] if rest > 0 else rows


def _route(route: RouteJson) -> dict[str, object]:
    parts = route["parts_ms"]
    total = sum(parts.values()) if parts else 0.0  # type: ignore[arg-type]
    waited = parts["unread"] + parts["queued"] if parts else 0.0
    return {
        "name": f"{route['http_method']} {route['route']}",
        "count": f"{route['count']:,}",
        "application": _summary(route["application_ms"]),
        "latency": _summary(route["latency_ms"]),
        "waited": percent(waited / total) if total else "",
        "services": percent(parts["services"] / total) if parts and total else "",
    }


def _service(service: ServiceJson) -> dict[str, object]:
    latency = service["latency_ms"]
    return {
        "endpoint": service["endpoint"],
        "calls": f"{service['calls']:,}",
        "latency": [duration(latency[key]) for key in ("p50", "p99", "max")],  # type: ignore[literal-required]
    }


def _others(others: OtherServicesJson | None) -> str | None:
    if others is None:
        return None
    return (
        f"{counted(others['endpoints'], 'other service')} gave {counted(others['calls'], 'answer')}, for which requests waited "
        f"{duration(others['total_ms'])} in all."
    )


def _story(story: WorstRequestJson) -> dict[str, object]:
    return {
        "id": story["request"],
        "name": f"{story['http_method']} {story['route']}",
        "latency": duration(story["latency_ms"], story["at_least"]),
        "steps": [
            (
                moment(story["arrived_s"]),
                "Its last byte had arrived before the recording." if story["at_least"] else "Its last byte arrived.",
            ),
            *(_step(step) for step in story["steps"]),
            (moment(story["arrived_s"] + story["latency_ms"] / 1000), "The first byte of its answer was sent."),
        ],
    }


def _step(step: RequestStepJson) -> tuple[str, str]:
    item = "unknown" if step["item"] is None else step["item"]
    words = STEP_WORDS[step["what"]].format(item=item, endpoint=step["endpoint"])
    return f"for {duration(step['ms'])}", f"{words[0].upper()}{words[1:]}."
