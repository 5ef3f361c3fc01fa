"""The parts of each request's time, the causes of its waits, and its steps cut at the scheduler's states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.attribute import Attribution, Split
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.lookup import ordered
from poolscope.base.stages import once
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import BLOCKED, READY, RUNNING, Segments
from poolscope.measures.requests.requests import Requests, measure_requests
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

PARTS = (
    "unread",
    "queued",
    "cpu",
    "blocked",
    "ready",
    "runtime",
    "unseen",
    "services",
    "timer",
    "shared",
    "thread",
    "other",
)
"""The bytes were unread in the socket; an item of the request was in the queue; its items computed, were blocked,
lacked a core, stood still in a suspension, or ran in a gap of the kernel stream; it awaited an answer of another
service. The rest has no event: until a timer, data on a shared connection, or a thread outside the pool resumed it, and
otherwise."""
CAUSES = ("injection", "blocking", "core", "runtime", "other")
"""The causes of `unread` and `queued`, as for items. `other` is the time before the socket engine queued anything, or
in its hands."""


@dataclass(frozen=True)
class RequestParts:
    """Parts of the requests that are tied and answered, shape (whole,), ns, all >= 0. The parts of a request add up to
    its latency exactly, and the causes to its `unread` plus `queued`."""

    row: IntArray
    """Index into Requests."""
    part: dict[str, IntArray]
    cause: dict[str, IntArray]

    @property
    def latency(self) -> IntArray:
        """The sum of the parts."""
        return np.asarray(sum(self.part.values()))


@once
def request_parts(capture: DecodedCapture, attribution: Attribution) -> RequestParts | None:
    """Splits the time of the measured requests. Returns None if no request is both tied and answered."""
    requests = measure_requests(capture, attribution)
    return None if requests is None or not requests.whole.any() else split_requests(requests, attribution)


def split_requests(requests: Requests, attribution: Attribution) -> RequestParts:
    """Cuts the executions of each request at the scheduler's states, and divides its waits as the ladder divides those
    of its items.

    A request shares the causes of an item that it met in the queue, in proportion. Time without an event is the
    runtime's while it was suspended, because the threads of sockets and timers stand still too.
    """
    whole = np.flatnonzero(requests.whole)
    part, cause = split_tiles(requests.tiles, whole, requests.count, attribution, attribution.segments)
    return RequestParts(whole, part, cause)


def split_tiles(
    tiles: Tiles, whole: IntArray, count: int, attribution: Attribution, segments: Segments
) -> tuple[dict[str, IntArray], dict[str, IntArray]]:
    """Returns the parts of the time of `whole`, some of `count` requests, and the causes of its waits, ns, each of
    shape (whole,).

    The causes are empty without a kernel stream. `segments` are those of all executions in the tiles.
    """

    def of(duration: IntArray | FloatArray, request: IntArray) -> IntArray:
        return np.asarray(np.rint(np.bincount(request, duration, minlength=count)[whole]), dtype=np.int64)

    part = {
        name: of(tiles.duration[tiles.kind == kind], tiles.request[tiles.kind == kind])
        for kind, name in _OF_KIND.items()
    }
    ran = tiles.where(tiles.kind == EXECUTED)
    states = _states(ran, attribution, segments)
    part.update({name: of(duration, ran.request) for name, duration in states.items()})
    for kind in DARK:
        dark, name = tiles.where(tiles.kind == kind), _OF_KIND[kind]
        paused = of(np.minimum(_suspended(attribution, dark.start, dark.end), dark.duration), dark.request)
        part[name], part["runtime"] = part[name] - paused, part["runtime"] + paused
    part = {name: part[name] for name in PARTS}
    if attribution.split is None:
        return part, {}
    waits, causes = _causes(tiles, attribution, attribution.split)
    return part, {name: of(duration, waits) for name, duration in causes.items()}


def _states(ran: Tiles, attribution: Attribution, segments: Segments) -> dict[str, IntArray]:
    overlap = _Overlap(segments)
    cpu, ready, blocked = (overlap.of(ran, state) for state in (RUNNING, READY, BLOCKED))
    runtime = np.minimum(_suspended(attribution, ran.start, ran.end), blocked)
    return {
        "cpu": cpu,
        "blocked": blocked - runtime,
        "ready": ready,
        "runtime": runtime,
        "unseen": ran.duration - cpu - ready - blocked,
    }


def _suspended(attribution: Attribution, start: IntArray, end: IntArray) -> IntArray:
    """Returns how long the runtime was suspended between two times, ns."""
    return np.rint(attribution.suspension.integral(start, end)).astype(np.int64)


class _Overlap:
    """Computes how long an execution was in a state between two times."""

    def __init__(self, segments: Segments) -> None:
        self._segments = segments
        self._span = int(segments.end.max(initial=0)) + 1
        self._key = segments.item * self._span + segments.start

    def of(self, tiles: Tiles, state: int) -> IntArray:
        """Returns how long each tile was in this state, ns, shape (tiles,)."""
        if len(self._key) == 0:
            return np.zeros(len(tiles.item), dtype=np.int64)
        lasts = np.where(self._segments.state == state, self._segments.duration, 0)
        before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lasts)))

        def up_to(time: IntArray) -> IntArray:
            at = (
                np.searchsorted(self._key, tiles.item * self._span + np.minimum(time, self._span - 1), side="right") - 1
            )
            row = np.maximum(at, 0)
            inside = np.where(self._segments.item[row] == tiles.item, time - self._segments.start[row], lasts[row])
            return np.asarray(np.where(at < 0, 0, before[row] + np.clip(inside, 0, lasts[row])))

        return np.asarray(up_to(tiles.end) - up_to(tiles.start))


def _causes(tiles: Tiles, attribution: Attribution, split: Split) -> tuple[IntArray, dict[str, IntArray]]:
    """Splits each request's waits by cause, ns, rounded so that they add up. While an item was in the queue, the
    request's wait has that item's causes, in proportion."""
    chosen = tiles.where((tiles.kind == UNREAD) | (tiles.kind == QUEUED))
    items = attribution.items
    known = (chosen.item >= 0) & (chosen.item < items.count)
    item = np.where(known, chosen.item, 0)
    since = np.maximum(chosen.start, np.where(known, items.enqueue[item], 0)) if items.count else chosen.start
    until = np.minimum(chosen.end, np.where(known, items.dequeue[item], 0)) if items.count else chosen.start
    queued = np.where(known, np.maximum(until - since, 0), 0)
    parts = split.parts
    stacked = np.stack([parts.injection, parts.blocking, parts.core, parts.runtime]).astype(np.float64)
    share = np.cumsum(stacked[:, item], axis=0) / np.maximum(parts.wait[item], 1) if items.count else np.zeros((4, 0))
    steps = np.diff(np.rint(share * queued).astype(np.int64), axis=0, prepend=0)
    found = {name: steps[at] for at, name in enumerate(CAUSES[:-1])}
    found["other"] = chosen.duration - sum(found.values())
    outside = _suspended(attribution, chosen.start, chosen.end) - np.where(
        queued > 0, _suspended(attribution, since, until), 0
    )
    paused = np.clip(outside, 0, found["other"])
    found["other"], found["runtime"] = found["other"] - paused, found["runtime"] + paused
    return chosen.request, found


MOSTLY = 0.5
"""The share of a stretch without running code from which a suspension that it lay in names it."""
_CODE = {name: code for code, name in enumerate(PARTS)}
_OF_KIND = {
    UNREAD: "unread",
    QUEUED: "queued",
    SERVICE: "services",
    TIMER: "timer",
    SHARED: "shared",
    THREAD: "thread",
    OTHER: "other",
}
_OF_STATE = {RUNNING: "cpu", READY: "ready", BLOCKED: "blocked"}


@dataclass(frozen=True)
class Stretches:
    """Steps by request and time, shape (stretches,). Times are ns from the start of the window.

    No row is empty, and the rows of one request follow each other without a gap.
    """

    request: IntArray
    part: IntArray
    """Index into PARTS. A stretch has a single part, whereas a suspension takes only its own time from the parts of a
    latency."""
    start: IntArray
    end: IntArray
    item: IntArray
    """Index into Executions, -1 if none."""
    socket: IntArray
    """The socket of `services` and `shared`, -1 for the others."""
    enters: IntArray
    """1 if the request reaches an execution in which it was not before, otherwise 0."""


def cut_stretches(requests: Requests, attribution: Attribution) -> Stretches:
    """Returns the tiles of every request that is tied and answered, with executions cut at their states."""
    tiles = requests.tiles
    order = ordered(tiles.request, tiles.start)
    tiles = Tiles(*(column[order] for column in tiles.columns()))
    ran = np.flatnonzero(tiles.kind == EXECUTED)
    row, state, start, end = _cut(tiles.where(tiles.kind == EXECUTED), attribution.segments)
    rest = np.flatnonzero(tiles.kind != EXECUTED)
    of_kind, of_state = np.full(max(_OF_KIND) + 1, -1), np.full(max(_OF_STATE) + 2, _CODE["unseen"])
    for kind, name in _OF_KIND.items():
        of_kind[kind] = _CODE[name]
    for known, name in _OF_STATE.items():
        of_state[known] = _CODE[name]
    tile = np.concatenate((ran[row], rest))
    part = np.concatenate((of_state[state], of_kind[tiles.kind[rest]]))
    start, end = np.concatenate((start, tiles.start[rest])), np.concatenate((end, tiles.end[rest]))
    still = np.isin(part, [_CODE[name] for name in ("blocked", *(_OF_KIND[kind] for kind in DARK))])
    paused = np.asarray(attribution.suspension.integral(start, end)) > MOSTLY * (end - start)
    part = np.where(still & paused, _CODE["runtime"], part)
    in_time = ordered(tiles.request[tile], start)
    tile, part, start, end = tile[in_time], part[in_time], start[in_time], end[in_time]
    request, item, socket = tiles.request[tile], tiles.item[tile], tiles.socket[tile]
    executed = tiles.kind[tile] == EXECUTED
    goes_on = np.zeros(len(tile), dtype=bool)
    goes_on[1:] = (request[1:] == request[:-1]) & (item[1:] == item[:-1]) & (executed[1:] == executed[:-1])
    enters = executed & ~goes_on
    # The kernel splits a state when it has more to report about it.
    goes_on[1:] &= (part[1:] == part[:-1]) & (socket[1:] == socket[:-1])
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(tile)) - 1 if len(tile) else first
    return Stretches(
        request[first], part[first], start[first], end[last], item[first], socket[first], enters[first].astype(np.int64)
    )


def _cut(tiles: Tiles, segments: Segments) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Cuts tiles at the states of their threads. Returns the index of the tile, state, start and end of every piece.
    The state is -1 if no segment is there."""
    none = np.zeros(0, dtype=np.int64)
    if len(tiles.item) == 0:
        return none, none, none, none
    order = ordered(segments.item, segments.start)
    item, begin, stop = segments.item[order], segments.start[order], segments.end[order]
    span = int(max(stop.max(initial=0), tiles.end.max())) + 1
    first = np.searchsorted(item * span + stop, tiles.item * span + tiles.start, side="right")
    last = np.searchsorted(item * span + begin, tiles.item * span + tiles.end, side="left")
    count = np.maximum(last - first, 0)
    row = np.repeat(np.arange(len(count)), count)
    which = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    start, end = np.maximum(begin[which], tiles.start[row]), np.minimum(stop[which], tiles.end[row])
    # The gaps before each piece and after the last one of each tile.
    before = tiles.start[row].copy()
    inner = np.flatnonzero(row[1:] == row[:-1]) + 1 if len(row) else none
    before[inner] = end[inner - 1]
    reached = tiles.start.copy()
    reached[row] = end
    every = np.arange(len(count))
    pieces = (
        np.concatenate((row, row, every)),
        np.concatenate((segments.state[order][which], np.full(len(row) + len(count), -1))),
        np.concatenate((start, before, reached)),
        np.concatenate((end, start, tiles.end)),
    )
    keep = pieces[3] > pieces[2]
    row, state, start, end = (np.asarray(column[keep], dtype=np.int64) for column in pieces)
    return row, state, start, end
