"""Hosts to which HttpClient had all the connections that it may have, while calls waited for one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.measures.calls import Calls

STEADY = 0.9
"""Share of the time waited in which as many connections were open as ever while a call waited. HttpClient opens another one for
a call that waits unless it has as many as it may. Where the number still grew, the calls waited for connections that were
being made, and not for a limit."""
NEARLY = 0.25
"""For the streams that were open: as one ends, the next call needs a moment to begin its own."""
WITHIN_WAIT = (0.25, 0.5, 0.75)
"""Moments of a wait at which open streams are counted, of its length."""
NOTICED_MS = 1.0
"""A call that waits for less is no sign of a limit: it took what another one gave back before its own connection was made."""


@dataclass(frozen=True)
class ConnectionLimit:
    """Calls to one host that waited until other calls gave their connections back, while no connection was added."""

    endpoint: str
    connections: int
    """Open at once while they waited."""
    calls: int
    """To this host, in all."""
    waited: IntArray
    """Index into Calls of those that waited; shape (waited,)."""
    held: IntArray
    """How long each of them waited so, ns."""
    share: float
    """For all the time of calls to this host, 0 ... 1."""


@dataclass(frozen=True)
class StreamLimit(ConnectionLimit):
    """The same of calls over HTTP/2, of which a connection carries as many at once as the server lets it."""

    streams: int
    """Open while calls waited, in the median, on all connections."""


def find_stream_limits(calls: Calls) -> list[StreamLimit]:
    """Returns the hosts to which calls over HTTP/2 waited while always about the same number of streams was open, the one that cost most
    first."""
    found = []
    second = np.asarray([str(protocol).startswith("HTTP/2") for protocol in calls.protocol], dtype=bool)
    for endpoint in dict.fromkeys(calls.endpoint[(calls.held > NOTICED_MS * NS_PER_MS) & second]):
        own = np.asarray((calls.endpoint == endpoint) & second)
        waited = np.flatnonzero(own & (calls.held > NOTICED_MS * NS_PER_MS))
        held = calls.held[waited]
        sent = np.flatnonzero(own & (calls.sent >= 0))
        began, ended = np.sort(calls.sent[sent]), np.sort(np.where(calls.open[sent], calls.stop, calls.end[sent]))
        # Calls of a burst end together: for a moment hardly any stream is open.
        moments = calls.waited_since[waited] + np.outer(WITHIN_WAIT, held).astype(np.int64)
        open_then = np.searchsorted(began, moments, side="right") - np.searchsorted(ended, moments, side="right")
        count = open_then.max(axis=0)
        streams = int(np.median(count))
        if streams < 2 or float(held[np.abs(count - streams) <= NEARLY * streams].sum()) < STEADY * float(held.sum()):
            continue
        share = float(held.sum()) / max(float(calls.latency[own].sum()), 1.0)
        connections = len(np.unique(calls.connection[sent][calls.connection[sent] >= 0]))
        found.append(StreamLimit(str(endpoint), connections, int(own.sum()), waited, held, share, streams))
    return sorted(found, key=lambda limit: -float(limit.held.sum()))


def find_connection_limits(calls: Calls) -> list[ConnectionLimit]:
    """Returns the hosts with such a limit, the one that cost most first. HTTP/1.1 only."""
    found = []
    first = np.asarray([str(protocol).startswith("HTTP/1") for protocol in calls.protocol], dtype=bool)
    for endpoint in dict.fromkeys(calls.endpoint[(calls.held > NOTICED_MS * NS_PER_MS) & first]):
        own = np.asarray((calls.endpoint == endpoint) & first)
        limit = _limit(calls, str(endpoint), own)
        if limit is not None:
            found.append(limit)
    return sorted(found, key=lambda limit: -float(limit.held.sum()))


def _limit(calls: Calls, endpoint: str, own: BoolArray) -> ConnectionLimit | None:
    waited = np.flatnonzero(own & (calls.held > NOTICED_MS * NS_PER_MS))
    held = calls.held[waited]
    opened, closed = _connections(calls, own)
    middle = calls.waited_since[waited] + held // 2
    count = np.searchsorted(opened, middle, side="right") - np.searchsorted(closed, middle, side="left")
    most = int(count.max())
    if most < 1 or float(held[count == most].sum()) < STEADY * float(held.sum()):
        return None
    share = float(held.sum()) / max(float(calls.latency[own].sum()), 1.0)
    return ConnectionLimit(endpoint, most, int(own.sum()), waited, held, share)


def _connections(calls: Calls, own: BoolArray) -> tuple[IntArray, IntArray]:
    """Returns when the connections of these calls were opened and last used, each in order of time, shape (connections,)."""
    sent = np.flatnonzero(own & (calls.connection >= 0) & (calls.sent >= 0))
    _, code = np.unique(calls.connection[sent], return_inverse=True)
    opened = np.full(int(code.max(initial=-1)) + 1, calls.stop, dtype=np.int64)
    closed = np.zeros_like(opened)
    # Made before the recording: open from its start on.
    np.minimum.at(opened, code, np.maximum(calls.made[sent], 0))
    np.maximum.at(closed, code, np.where(calls.open[sent], calls.stop, calls.end[sent]))
    return np.sort(opened), np.sort(closed)
