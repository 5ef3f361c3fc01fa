"""Finds what holds up many requests at once although the pool has threads.

This is a work item in which they continue one after another, a pool of connections that others have taken, or a service
that became slow for a while.

A thread that completes a task, cancels a token or raises an event runs the continuations itself unless they asked to be
queued. If one continuation blocks, all others behind it wait.

No event shows a pool of connections, such as a database driver's. But a connection that carries one question at a time
either owes an answer or not. A request that has waited sends its own question on a connection right after another
request's answer arrived there.

A service is slow while the answers that requests waited for take a multiple of their earlier time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolscope.attribution.causes.socket_io import SocketIo, find_shared
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import latest, ordered
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.tiles import DARK, EXECUTED, SERVICE, Tiles
from poolscope.measures.services import ServiceCalls, find_service_calls


LEAST_TOGETHER = 5
"""The fewest requests that continued in one execution: two or three may have been answered together."""
MOST_OF_TIME = 0.5
"""A share of the time of all requests that are tied and answered."""


@dataclass(frozen=True)
class Serial:
    """An index into Executions, the requests that continued in it, and the time of each in it, ns; shape
    (requests,)."""

    execution: int
    request: IntArray
    duration: IntArray


def find_serial(requests: Requests) -> Serial | None:
    """Returns the execution that held most of the requests' time. None if that is less than half of the time of all
    requests."""
    ran = requests.tiles.where((requests.tiles.kind == EXECUTED) & (requests.tiles.item >= 0))
    if len(ran.item) == 0:
        return None
    pair, at = np.unique(np.stack((ran.item, ran.request)), axis=1, return_inverse=True)
    duration = np.bincount(np.ravel(at), ran.duration).astype(np.int64)
    items, code, count = np.unique(pair[0], return_inverse=True, return_counts=True)
    total = np.where(count >= LEAST_TOGETHER, np.bincount(code, duration), 0)
    most = int(np.argmax(total))
    if total[most] < MOST_OF_TIME * requests.tiles.duration.sum() or total[most] == 0:
        return None
    own = pair[0] == items[most]
    return Serial(int(items[most]), pair[1][own], duration[own])


HANDED_ON_NS = int(50 * NS_PER_MS)
"""The longest gap between an answer and the next request's question on its connection. In a longer gap the connection
may have been free."""
MOSTLY_SHARED = 0.5
"""A share of the time of all requests that are tied and answered, and of an endpoint's questions."""


@dataclass(frozen=True)
class PoolWaits:
    """Waits for the connections of one endpoint. The arrays have shape (requests,), only those that waited."""

    endpoint: str
    connections: int
    """The most connections that owed an answer at once."""
    request: IntArray
    """Index into Requests."""
    start: IntArray
    end: IntArray
    """The first and the last time that it waited, ns from the start of the window."""
    wait: IntArray
    """How long all connections owed an answer meanwhile, ns."""
    share: float
    """A share of the time of all requests that are tied and answered, 0 to 1."""


def find_pool_waits(requests: Requests, io: SocketIo) -> PoolWaits | None:
    """Returns the endpoint for whose connections requests waited for most of their time, or None.

    If several questions are open at once on its connections (`find_shared`), owing an answer means nothing.
    """
    calls, shared = find_service_calls(io), find_shared(io)
    total = float(requests.tiles.duration.sum())
    for endpoint in dict.fromkeys(calls.endpoint.astype(str)):
        own = calls.where(calls.endpoint.astype(str) == endpoint)
        own = own.where(ordered(own.socket, own.asked))
        again = own.socket[1:] == own.socket[:-1]
        if not again.any() or shared[own.socket].mean() > MOSTLY_SHARED:
            continue
        tiles = _before_turn(requests.tiles, _on(requests.tiles, requests.remote, endpoint), own)
        full, most = _all_owe(own)
        wait = full.integral(tiles.start, tiles.end).astype(np.int64)
        if total > 0 and wait.sum() >= MOSTLY_SHARED * total:
            waited, at = np.unique(tiles.request, return_inverse=True)
            start, end = np.full(len(waited), requests.stop), np.zeros(len(waited), dtype=np.int64)
            np.minimum.at(start, at, tiles.start)
            np.maximum.at(end, at, tiles.end)
            each = np.bincount(at, wait).astype(np.int64)
            return PoolWaits(endpoint, most, waited, start, end, each, float(wait.sum()) / total)
    return None


def _on(tiles: Tiles, remote: AnyArray, endpoint: str) -> Tiles:
    """Returns the stretches in which a request awaited an answer of this endpoint."""
    asked = tiles.where(tiles.kind == SERVICE)
    return asked.where(np.asarray(remote[asked.socket].astype(str) == endpoint))


def _before_turn(tiles: Tiles, asked: Tiles, calls: ServiceCalls) -> Tiles:
    """Returns the stretches of a request before its first question that no event explains, if the question followed
    another request's answer on that connection at once."""
    first = ordered(asked.request, asked.start)
    asked = asked.where(first[np.append(True, asked.request[first][1:] != asked.request[first][:-1])[: len(first)]])
    answer, some = latest(calls.socket, calls.came, asked.socket, asked.start)
    handed = some & (asked.start - calls.came[answer] <= HANDED_ON_NS) if len(calls.came) else some
    turn = np.full(int(tiles.request.max(initial=-1)) + 1, -1, dtype=np.int64)
    turn[asked.request[handed]] = asked.start[handed]
    return tiles.where(np.isin(tiles.kind, DARK) & (tiles.end <= turn[tiles.request]))


def _all_owe(calls: ServiceCalls) -> tuple[Steps, int]:
    """Returns 1 while every connection in use owed an answer, otherwise 0; and the most connections that did at
    once."""
    sockets, at = np.unique(calls.socket, return_inverse=True)
    opened, closed = np.full(len(sockets), np.iinfo(np.int64).max), np.zeros(len(sockets), dtype=np.int64)
    np.minimum.at(opened, at, calls.asked)
    np.maximum.at(closed, at, calls.came)
    owe, there = Steps.count(calls.asked, calls.came), Steps.count(opened, closed)
    # From an answer to the next question, the connection is being handed on.
    back = np.append(calls.socket[1:] == calls.socket[:-1], False)
    gap: BoolArray = back & (np.append(calls.asked[1:], 0) - calls.came <= HANDED_ON_NS)
    handed = Steps.count(calls.came[gap], np.append(calls.asked[1:], 0)[gap])
    owe = owe.combine(handed, np.add)
    return owe.combine(there, lambda a, b: (a >= b) & (b > 0)), int(there.value.max(initial=0))


USUAL = 0.25
"""The quantile of a service's latencies first assumed to be usual, so that three quarters of the calls may be slow."""
TIMES = 3.0
"""The factor over the usual latency from which a call is slow. Variation from call to call is less."""
BEYOND_NS = 50.0 * NS_PER_MS
"""The least excess over the usual latency: as for items, less is not noticed behind a request (limits.py)."""
LEAST_CALLS = 5
"""The fewest slow calls, and the fewest usual ones, needed for a comparison."""
MOSTLY_SLOW = 0.8
"""The share of the calls that began while it was slow. If fewer were slow, the service has slow and quick answers, and
did not become slow."""


@dataclass(frozen=True)
class SlowService:
    """One service that was slow for a while. Times are ns."""

    endpoint: str
    calls: int
    """The number of its answers that requests waited for."""
    start: IntArray
    """The start of each slow call, from the start of the window; shape (slow,)."""
    end: IntArray
    usual: int
    """The median latency of the other calls."""
    slow: int
    """The median latency of the slow calls."""
    request: IntArray
    """Index into Requests, for each slow call."""

    def where(self, chosen: BoolArray) -> SlowService:
        """Returns a copy with only the chosen slow calls, shape (slow,)."""
        return replace(self, start=self.start[chosen], end=self.end[chosen], request=self.request[chosen])

    @property
    def cost(self) -> IntArray:
        """The time of each slow call beyond the usual, ns."""
        return np.maximum(self.end - self.start - self.usual, 0)


def find_slow_services(requests: Requests) -> list[SlowService]:
    """Returns the slow services, costliest first."""
    calls = requests.tiles.where(requests.tiles.kind == SERVICE)
    remote = np.array([str(requests.remote[socket]) for socket in calls.socket], dtype=object)
    found = []
    for name in dict.fromkeys(remote):
        own = calls.where(np.asarray(remote == name))
        taken = own.duration
        if len(taken) < 2 * LEAST_CALLS:
            continue
        usual = float(np.quantile(taken, USUAL))
        slow = np.asarray(taken > max(TIMES * usual, usual + BEYOND_NS))
        if slow.sum() < LEAST_CALLS or (~slow).sum() < LEAST_CALLS:
            continue
        during = (own.start >= own.start[slow].min()) & (own.start <= own.start[slow].max())
        if slow[during].mean() < MOSTLY_SLOW:
            continue
        found.append(
            SlowService(
                endpoint=str(name),
                calls=len(taken),
                start=own.start[slow],
                end=own.end[slow],
                usual=int(np.median(taken[~slow])),
                slow=int(np.median(taken[slow])),
                request=own.request[slow],
            )
        )
    return sorted(found, key=lambda service: -int(service.cost.sum()))
