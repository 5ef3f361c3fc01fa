"""The requests of a web service in the form of analysis.json."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.statistics import summarise_ms
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.contract.analysis_json import (
    EarlierJson,
    LateRequestsJson,
    OtherServicesJson,
    RequestPartsJson,
    RequestsJson,
    RequestStepJson,
    RequestWaitsJson,
    RouteJson,
    ServiceJson,
    WorstRequestJson,
)
from poolscope.evidence.elsewhere import Elsewhere
from poolscope.evidence.late_places import late_places, shown_late
from poolscope.executions.items import Items
from poolscope.incidents import Incident
from poolscope.incidents.requests import outside_incidents
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.routes import route_of
from poolscope.measures.requests.tiles import EXECUTED, OTHER, QUEUED, SERVICE, SHARED, THREAD, TIMER, UNREAD, Tiles

ROUTES = 20
"""The most rows. The others are counted."""
SERVICES = 20
"""The most rows. The others are counted and summed."""
WORST = 10
"""The number of stories."""
SPELLS = 50
"""The most spells of late requests, costliest first. No page shows more."""
NEAR = 0.01
"""A share of the capture. A shorter gap does not separate two spells."""
STEPS = 40
"""The most steps of one story, longest first."""
PART_WORDS = {
    "unread": "unread in the socket",
    "queued": "its items in the queue",
    "cpu": "running on a core",
    "blocked": "blocked",
    "ready": "runnable without a core",
    "runtime": "suspended by the runtime",
    "unseen": "running, no kernel event",
    "services": "waiting for other services",
    "timer": "until a timer fired",
    "shared": "until data came on a shared connection",
    "thread": "until a thread outside the pool resumed it",
    "other": "no event of its own shows",
}
"""The parts of a latency in words."""
KINDS = {
    UNREAD: "unread",
    QUEUED: "queued",
    EXECUTED: "executed",
    SERVICE: "service",
    TIMER: "timer",
    SHARED: "shared",
    THREAD: "thread",
    OTHER: "other",
}


def requests_json(
    requests: Requests | None,
    parts: RequestParts | None,
    items: Items,
    incidents: list[Incident],
    late: LateRequestsJson | None,
) -> RequestsJson | None:
    """Returns `requests`, or None if ASP.NET Core reported none."""
    if requests is None:
        return None
    routes = np.array([route_of(path) for path in requests.path], dtype=object)
    every = np.ones(requests.count, dtype=bool)
    rows, count = _routes(requests, parts, routes)
    services, others = _services(requests)
    return {
        "count": requests.count,
        "arrivals": requests.arrivals,
        "tied": int(requests.tied.sum()),
        "answered": int(requests.whole.sum()),
        "earlier": earlier_json(requests.latency[requests.arrived_at < 0]),
        "silent": requests.silent,
        "waiting": len(requests.not_begun),
        "application_ms": summarise_ms(requests.in_application, requests.inside),
        "latency_ms": summarise_ms(requests.latency, requests.at_least),
        "outside_incidents": outside_incidents(requests, incidents),
        "parts_ms": _parts(parts, every),
        "wait_ms": _waits(parts, every),
        "late": late,
        "routes": rows,
        "routes_left_out": count - len(rows),
        "services": services,
        "services_left_out": others,
        "worst": _worst(requests, parts, routes, items) if parts is not None else [],
    }


def earlier_json(lasted: IntArray) -> EarlierJson | None:
    """Summarises the work in progress when the capture began, or returns None if there was none. `lasted` counts from
    the start of the capture, ns, shape (any,)."""
    if len(lasted) == 0:
        return None
    return {"count": len(lasted), "latency_ms": summarise_ms(lasted, np.ones(len(lasted), dtype=bool))}


def late_json(evidence: Elsewhere) -> LateRequestsJson | None:
    """Returns `requests.late`, or None if too few requests were late."""
    late = shown_late(evidence)
    if late is None:
        return None
    start, stop = evidence.capture.window
    spells = sorted(late.spells(round(NEAR * (stop - start))), key=lambda spell: -spell.total)[:SPELLS]
    return {
        "count": len(late.row),
        "spells": [
            {
                "start_s": int(spell.start.min()) / NS_PER_S,
                "end_s": int(spell.end.max()) / NS_PER_S,
                "count": len(spell.row),
                "longest_ms": spell.longest / NS_PER_MS,
            }
            for spell in sorted(spells, key=lambda spell: int(spell.start.min()))
        ],
        "longest_ms": late.longest / NS_PER_MS,
        "total_ms": late.total / NS_PER_MS,
        "places": [
            {"place": row.place, "endpoint": row.endpoint, "thread": row.thread, "ms": row.total / NS_PER_MS}
            for row in late_places(evidence, late)
        ],
    }


def mean_ms(part: IntArray) -> float:
    """Returns the mean, in ms to the nanosecond, of durations in ns, shape (rows,), at least one."""
    return round(float(part.mean()) / NS_PER_MS, 6)


def _parts(parts: RequestParts | None, chosen: BoolArray) -> RequestPartsJson | None:
    """Returns the mean parts of the chosen requests, shape (requests,), or None if none of them is tied and
    answered."""
    if parts is None or not chosen[parts.row].any():
        return None
    mean = {name: mean_ms(part[chosen[parts.row]]) for name, part in parts.part.items()}
    return {
        "unread": mean["unread"],
        "queued": mean["queued"],
        "cpu": mean["cpu"],
        "blocked": mean["blocked"],
        "ready": mean["ready"],
        "runtime": mean["runtime"],
        "unseen": mean["unseen"],
        "services": mean["services"],
        "timer": mean["timer"],
        "shared": mean["shared"],
        "thread": mean["thread"],
        "other": mean["other"],
    }


def _waits(parts: RequestParts | None, chosen: BoolArray) -> RequestWaitsJson | None:
    if parts is None or not chosen[parts.row].any():
        return None
    return waits_json({name: cause[chosen[parts.row]] for name, cause in parts.cause.items()})


def waits_json(cause: dict[str, IntArray]) -> RequestWaitsJson:
    """Returns the mean wait of each cause, ms, from waits in ns."""
    mean = {name: mean_ms(part) for name, part in cause.items()}
    return {
        "injection": mean["injection"],
        "blocking": mean["blocking"],
        "core": mean["core"],
        "runtime": mean["runtime"],
        "other": mean["other"],
    }


def _routes(requests: Requests, parts: RequestParts | None, routes: AnyArray) -> tuple[list[RouteJson], int]:
    """Returns the routes by method and path, longest total time first, and how many there are.

    Only the routes shown are summarised: if paths contain names, there may be as many routes as requests.
    """
    tied = requests.tied
    until = np.where(requests.answered >= 0, requests.answered, requests.stop)
    latency = np.where(tied, until - requests.arrived, 0)
    took = latency if tied.any() else requests.in_application
    bounds = (requests.answered < 0) | requests.early
    names = [f"{method} {route}" for method, route in zip(requests.method, routes, strict=True)]
    known, first, code = np.unique(names, return_index=True, return_inverse=True)
    longest = np.lexsort((first, -np.bincount(code, took, minlength=len(known))))[:ROUTES]
    rows: list[RouteJson] = []
    for number in longest:
        own = np.asarray(code == number)
        rows.append(
            {
                "route": str(routes[first[number]]),
                "http_method": str(requests.method[first[number]]),
                "count": int(own.sum()),
                "tied": int((own & tied).sum()),
                "application_ms": summarise_ms(requests.in_application[own], requests.inside[own]),
                "latency_ms": summarise_ms(latency[own & tied], bounds[own & tied]),
                "parts_ms": _parts(parts, own),
            }
        )
    return rows, len(known)


def _services(requests: Requests) -> tuple[list[ServiceJson], OtherServicesJson | None]:
    """Returns the answers that requests waited for, by endpoint, longest total time first; and the total of the other
    endpoints. Only the endpoints shown are summarised."""
    calls = requests.tiles.where(requests.tiles.kind == SERVICE)
    named = [_endpoint(requests, socket) for socket in range(len(requests.remote))]
    of_socket, names = pd.factorize(np.array(named, dtype=object), sort=True)
    code = of_socket[calls.socket]
    took, count = np.bincount(code, calls.duration, len(names)), np.bincount(code, minlength=len(names))
    order = np.lexsort((np.arange(len(names)), -took))
    order = order[count[order] > 0]
    rows: list[ServiceJson] = []
    for number in order[:SERVICES]:
        taken = calls.duration[code == number]
        latency = summarise_ms(taken, np.zeros(len(taken), dtype=bool))
        rows.append({"endpoint": str(names[number]), "calls": len(taken), "latency_ms": latency})
    rest = order[SERVICES:]
    if len(rest) == 0:
        return rows, None
    total = round(float(took[rest].sum()) / NS_PER_MS, 6)
    return rows, {"endpoints": len(rest), "calls": int(count[rest].sum()), "total_ms": total}


def _endpoint(requests: Requests, socket: int) -> str:
    remote = requests.remote[socket]
    return remote if isinstance(remote, str) else "unknown"


def _worst(requests: Requests, parts: RequestParts, routes: AnyArray, items: Items) -> list[WorstRequestJson]:
    order = np.argsort(-parts.latency, kind="stable")[:WORST]
    stories: list[WorstRequestJson] = []
    for at in order:
        row = int(parts.row[at])
        one = np.arange(requests.count) == row
        means, waits = _parts(parts, one), _waits(parts, one)
        assert means is not None and waits is not None
        stories.append(
            {
                "request": row,
                "route": str(routes[row]),
                "http_method": str(requests.method[row]),
                "arrived_s": round(int(requests.arrived[row]) / NS_PER_S, 6),
                "latency_ms": round(int(parts.latency[at]) / NS_PER_MS, 6),
                "at_least": bool(requests.early[row]),
                "parts_ms": means,
                "wait_ms": waits,
                "steps": _steps(requests, row, items),
            }
        )
    return stories


def _joined(tiles: Tiles) -> Tiles:
    """Returns the stretches of one request in order of time. Consecutive stretches of one item are merged."""
    order = np.argsort(tiles.start, kind="stable")
    kind, item, socket = tiles.kind[order], tiles.item[order], tiles.socket[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (kind[1:] != kind[:-1]) | (item[1:] != item[:-1]) | (socket[1:] != socket[:-1])
    begins = np.flatnonzero(first)
    end = tiles.end[order][np.append(begins[1:], len(order)) - 1] if len(order) else tiles.end
    return Tiles(
        tiles.request[order][begins], kind[begins], tiles.start[order][begins], end, item[begins], socket[begins]
    )


def _steps(requests: Requests, row: int, items: Items) -> list[RequestStepJson]:
    tiles = _joined(requests.tiles.where(requests.tiles.request == row))
    longest = np.argsort(-tiles.duration, kind="stable")[:STEPS]
    order = longest[np.argsort(tiles.start[longest], kind="stable")]
    return [
        {
            "what": KINDS[int(tiles.kind[at])],
            "start_s": round(int(tiles.start[at]) / NS_PER_S, 6),
            "ms": round(int(tiles.duration[at]) / NS_PER_MS, 6),
            "item": int(items.row[tiles.item[at]]) if 0 <= tiles.item[at] < items.count else None,
            "endpoint": _endpoint(requests, tiles.socket[at]) if tiles.socket[at] >= 0 else None,
        }
        for at in order
    ]
