"""Requests that waited for a connection of a pool, such as a database driver's, while other requests had them all.

No event shows such a pool. But a connection over which one question at a time goes is seen to owe an answer or not; and a
request that has waited sends its own question on a connection right after another one's answer came there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.attribution.causes.socket_io import SocketIo, find_shared
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS
from poolscope.measures.requests.requests import Requests
from poolscope.measures.requests.tiles import DARK, SERVICE, Tiles
from poolscope.measures.services import ServiceCalls, find_service_calls

HANDED_ON_NS = int(50 * NS_PER_MS)
"""From an answer to the next request's question on its connection: with more the connection may have been free in between."""
MOSTLY = 0.5
"""Of the time of all requests that were tied and answered; of an endpoint's questions."""


@dataclass(frozen=True)
class PoolWaits:
    """For one endpoint; the arrays have shape (requests,), only those that waited."""

    endpoint: str
    connections: int
    """That all owed an answer meanwhile, at most."""
    request: IntArray
    """Index into Requests."""
    start: IntArray
    end: IntArray
    """When it waited first and last, ns from the start of the window."""
    wait: IntArray
    """For how long all connections owed an answer meanwhile, ns."""
    share: float
    """For the time of all requests that were tied and answered, 0 ... 1."""


def find_pool_waits(requests: Requests, io: SocketIo) -> PoolWaits | None:
    """Returns the endpoint for whose connections requests waited for most of their time; None if there is none. Where several questions
    are open at once on its connections (`find_shared`), owing an answer means nothing."""
    calls, shared = find_service_calls(io), find_shared(io)
    total = float(requests.tiles.duration.sum())
    for endpoint in dict.fromkeys(calls.endpoint.astype(str)):
        own = calls.where(calls.endpoint.astype(str) == endpoint)
        own = own.where(np.lexsort((own.asked, own.socket)))
        again = own.socket[1:] == own.socket[:-1]
        if not again.any() or shared[own.socket].mean() > MOSTLY:
            continue
        tiles = _before_turn(requests.tiles, _on(requests.tiles, requests.remote, endpoint), own)
        full, most = _all_owe(own)
        wait = full.integral(tiles.start, tiles.end).astype(np.int64)
        if total > 0 and wait.sum() >= MOSTLY * total:
            waited, at = np.unique(tiles.request, return_inverse=True)
            start, end = np.full(len(waited), requests.stop), np.zeros(len(waited), dtype=np.int64)
            np.minimum.at(start, at, tiles.start)
            np.maximum.at(end, at, tiles.end)
            each = np.bincount(at, wait).astype(np.int64)
            return PoolWaits(endpoint, most, waited, start, end, each, float(wait.sum()) / total)
    return None


def _on(tiles: Tiles, remote: AnyArray, endpoint: str) -> Tiles:
    """Returns the stretches in which an answer of this endpoint was awaited."""
    asked = tiles.where(tiles.kind == SERVICE)
    return asked.where(np.asarray(remote[asked.socket].astype(str) == endpoint))


def _before_turn(tiles: Tiles, asked: Tiles, calls: ServiceCalls) -> Tiles:
    """Returns what no event shows of a request before its first question, if this followed at once another's answer there."""
    first = np.lexsort((asked.start, asked.request))
    asked = asked.where(first[np.append(True, asked.request[first][1:] != asked.request[first][:-1])[: len(first)]])
    answer, some = latest(calls.socket, calls.came, asked.socket, asked.start)
    handed = some & (asked.start - calls.came[answer] <= HANDED_ON_NS) if len(calls.came) else some
    turn = np.full(int(tiles.request.max(initial=-1)) + 1, -1, dtype=np.int64)
    turn[asked.request[handed]] = asked.start[handed]
    return tiles.where(np.isin(tiles.kind, DARK) & (tiles.end <= turn[tiles.request]))


def _all_owe(calls: ServiceCalls) -> tuple[Steps, int]:
    """Returns 1 while every connection in use owed an answer, else 0; and the most connections that did at once."""
    sockets, at = np.unique(calls.socket, return_inverse=True)
    opened, closed = np.full(len(sockets), np.iinfo(np.int64).max), np.zeros(len(sockets), dtype=np.int64)
    np.minimum.at(opened, at, calls.asked)
    np.maximum.at(closed, at, calls.came)
    owe, there = Steps.count(calls.asked, calls.came), Steps.count(opened, closed)
    # From an answer to the next question the connection is handed on.
    back = np.append(calls.socket[1:] == calls.socket[:-1], False)
    gap: BoolArray = back & (np.append(calls.asked[1:], 0) - calls.came <= HANDED_ON_NS)
    handed = Steps.count(calls.came[gap], np.append(calls.asked[1:], 0)[gap])
    owe = owe.combine(handed, np.add)
    return owe.combine(there, lambda a, b: (a >= b) & (b > 0)), int(there.value.max(initial=0))
