"""Assigns every second of the late requests to a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.base.series import Steps
from poolscope.capture.thread_names import thread_names
from poolscope.evidence.elsewhere import Elsewhere, by_endpoint, silent_service
from poolscope.measures.late import Late
from poolscope.measures.requests.tiles import (
    DARK,
    EXECUTED,
    OTHER,
    QUEUED,
    SERVICE,
    SHARED,
    THREAD,
    TIMER,
    UNREAD,
    Tiles,
)

STATES = ("blocked", "unseen", "ready", "cpu", "runtime")
"""Parts of a request's executions (measures/requests/parts.py); the parts that show a stopped thread come first."""


@dataclass(frozen=True)
class LatePlace:
    """One place. The places of all late requests add up to their time."""

    place: str
    """stopped, held, unread, queued, cpu, blocked, ready, runtime, unseen, service, silent, shared, timer, thread,
    client, answering, unknown."""
    total: int
    """The time of all late requests there, ns."""
    endpoint: str | None = None
    """Set for `service`, `silent` and `shared`; None for the others."""
    thread: str | None = None
    """Set for `held` and `thread`; None for the others."""


def shown_late(evidence: Elsewhere) -> Late | None:
    """Returns the late requests that a verdict may use: by the lower quartile if another event proves the cause."""
    proven = evidence.stops.total > 0 or evidence.held_readers or silent_service(evidence) is not None
    return evidence.held_up_requests if proven and evidence.held_up_requests is not None else evidence.late_requests


def late_places(evidence: Elsewhere, late: Late) -> list[LatePlace]:
    """Returns the places, longest first, without empty ones."""
    requests = evidence.requests
    assert requests is not None
    whole = requests.whole[late.row]
    tiles = requests.tiles.where(np.isin(requests.tiles.request, late.row[whole]))
    # For a request that is not tied and answered, events show only whether the process was stopped or a service silent.
    bare = Tiles(late.row, np.full(len(whole), OTHER), late.start, late.end, late.row, late.row).where(~whole)
    told = np.bincount(tiles.request, tiles.duration, requests.count).astype(np.int64)[late.row]
    after = np.where(whole, late.end - late.start - told, 0)
    by_client = 0 if evidence.client_waits is None else int(np.minimum(evidence.client_waits[late.row], after).sum())
    rows = [
        LatePlace("stopped", _within(evidence.stops.during, tiles) + _within(evidence.stops.during, bare)),
        *_before(evidence, tiles, bare),
        *_executed(evidence, tiles, late.row[whole]),
        *_services(evidence, tiles),
        *_dark(evidence, tiles, bare),
        LatePlace("client", by_client),
        LatePlace("answering", int(after.sum()) - by_client),
    ]
    return sorted((row for row in rows if row.total > 0), key=lambda row: -row.total)


def _before(evidence: Elsewhere, tiles: Tiles, bare: Tiles) -> Iterator[LatePlace]:
    """Yields the time unread and queued, while the process was not stopped."""
    going, unread, held = _going(evidence), tiles.where(tiles.kind == UNREAD), next(iter(evidence.held_readers), None)
    by_reader = _within(_held(evidence), unread)
    if held is not None:
        # Data that a request awaits, such as a cache's answer, is also unread meanwhile.
        dark = _within(_held(evidence), tiles.where(np.isin(tiles.kind, DARK))) + _within(_held(evidence), bare)
        yield LatePlace("held", by_reader + dark, thread=held.name or f"thread {held.tid}")
    yield LatePlace("unread", _within(going, unread) - by_reader)
    yield LatePlace("queued", _within(going, tiles.where(tiles.kind == QUEUED)))


def _executed(evidence: Elsewhere, tiles: Tiles, row: IntArray) -> Iterator[LatePlace]:
    parts, ran = evidence.request_parts, tiles.where(tiles.kind == EXECUTED)
    if parts is None:
        return
    own = {name: int(parts.part[name][np.isin(parts.row, row)].sum()) for name in STATES}
    # `runtime` also contains time that no event shows; the code below separates the two.
    own["runtime"] = int(ran.duration.sum()) - sum(own[name] for name in STATES if name != "runtime")
    still = _within(evidence.stops.during, ran)
    for name in STATES:
        taken = min(still, own[name])
        still -= taken
        yield LatePlace(name, own[name] - taken)


def _services(evidence: Elsewhere, tiles: Tiles) -> Iterator[LatePlace]:
    yield from _at_endpoints(evidence, "service", tiles.where(tiles.kind == SERVICE), _going(evidence))


def _at_endpoints(evidence: Elsewhere, place: str, tiles: Tiles, during: Steps) -> Iterator[LatePlace]:
    assert evidence.requests is not None
    for name, own in by_endpoint(evidence.requests.remote, tiles.socket):
        yield LatePlace(place, _within(during, tiles.where(own)), name)


def _dark(evidence: Elsewhere, tiles: Tiles, bare: Tiles) -> Iterator[LatePlace]:
    """Yields the time that no event of the request shows: in a service's silence, by the event that ended it, or
    unknown."""
    silent, rest = silent_service(evidence), _both(_going(evidence), _not(_held(evidence)))
    if silent is not None:
        silence = _both(silent[0].during, rest)
        quiet = _within(silence, tiles.where(np.isin(tiles.kind, DARK))) + _within(silence, bare)
        yield LatePlace("silent", quiet, silent[0].endpoint)
        rest = _both(rest, _not(silence))
    yield from _at_endpoints(evidence, "shared", tiles.where(tiles.kind == SHARED), rest)
    yield LatePlace("timer", _within(rest, tiles.where(tiles.kind == TIMER)))
    yield from _by_thread(evidence, tiles.where(tiles.kind == THREAD), rest)
    yield LatePlace("unknown", _within(rest, tiles.where(tiles.kind == OTHER)) + _within(rest, bare))


def _by_thread(evidence: Elsewhere, tiles: Tiles, during: Steps) -> Iterator[LatePlace]:
    items = evidence.attribution.items
    tids, row = np.unique(
        evidence.capture.table("work_items")["enqueue_tid"].to_numpy()[items.row[tiles.item]], return_inverse=True
    )
    named = thread_names(evidence.capture, tids.tolist())
    names = np.array([named.get(tid) or f"thread {tid}" for tid in tids.tolist()], dtype=object)
    for name in dict.fromkeys(names):
        yield LatePlace("thread", _within(during, tiles.where(np.asarray(names[row] == name))), thread=name)


def _held(evidence: Elsewhere) -> Steps:
    """Returns 1 while the reader with the most unread data left it unread and the process was not stopped, otherwise
    0."""
    held = next(iter(evidence.held_readers), None)
    return Steps.constant(0.0) if held is None else _both(held.during, _going(evidence))


def _going(evidence: Elsewhere) -> Steps:
    """Returns 1 while the process was not stopped, otherwise 0."""
    return _not(evidence.stops.during)


def _not(during: Steps) -> Steps:
    return Steps(during.time, 1.0 - during.value)


def _both(one: Steps, other: Steps) -> Steps:
    return one.combine(other, np.multiply)


def _within(during: Steps, tiles: Tiles) -> int:
    return int(round(float(during.integral(tiles.start, tiles.end).sum())))
