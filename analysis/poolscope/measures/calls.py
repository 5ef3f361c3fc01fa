"""Calls of other services through HttpClient: the waits of each before it had a connection, and the hosts with all
connections in use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items, last_begun

NEVER = -1


@dataclass(frozen=True)
class Calls:
    """One row per call, shape (calls,), in the order of `calls.id`. Times are ns from the start of the window.

    A call without a free connection has up to three waits, one after another: until its connection is made (`making`),
    until another call returns a connection (`held`), and until a worker runs the continuation (`dispatch`). The last is
    a wait for the thread pool, not for HttpClient. They add up to `calls.queue_wait`.
    """

    endpoint: AnyArray
    """Host and port, as text."""
    path: AnyArray
    protocol: AnyArray
    begun: IntArray
    end: IntArray
    """NEVER if not seen."""
    untold: BoolArray
    """True if another call began inside it and it may have ended: the events do not say which of several such calls
    ended."""
    failed: BoolArray
    status: IntArray
    """HTTP status code. -1 if there was no answer, or it was not seen."""
    making: IntArray
    """ns, 0 without such a wait. For a call that got no connection, the whole wait, because its reason is unknown."""
    held: IntArray
    dispatch: IntArray
    waited_since: IntArray
    """When it began to wait for another call's connection. Meaningful only if `held` is above 0."""
    connection: IntArray
    """The number of the connection on which it was sent. -1 if not reported."""
    made: IntArray
    """When that connection was made. NEVER if before the recording."""
    sent: IntArray
    """NEVER if not seen."""
    stop: int
    """The end of the window."""

    @property
    def count(self) -> int:
        return len(self.begun)

    @property
    def open(self) -> BoolArray:
        """True if no end was seen."""
        return np.asarray((self.end < 0) & ~self.untold)

    @property
    def latency(self) -> IntArray:
        """From begin to end, ns. If `open`, up to the end of the window, a lower bound. 0 if `untold`."""
        until = np.where(self.untold, self.begun, np.where(self.open, self.stop, self.end))
        return np.maximum(until - self.begun, 0)

    @property
    def queued(self) -> IntArray:
        """How long each call waited for a connection of HttpClient's own pool, ns."""
        return self.making + self.held


def measure_calls(capture: DecodedCapture, items: Items) -> Calls | None:
    """Measures each call of HttpClient. Returns None if none was reported, and no rows if all began before the
    recording."""
    if not capture.has("calls"):
        return None
    table = capture.table("calls")
    start, stop = capture.window
    time = {name: _from(table[name], start) for name in ("start", "left_queue", "sent", "connection_made", "end")}
    connection = table["connection"].to_numpy()
    waited = table["queue_wait"].to_numpy() > 0
    until = np.where(waited, time["left_queue"], 0)
    since = np.where(waited, until - table["queue_wait"].to_numpy(), 0)
    given = np.where(waited, _given(items, table["left_queue_tid"].to_numpy().astype(np.int64), since, until), 0)
    # A connection that was not made during the recording had been made before.
    had = np.where(connection >= 0, np.clip(time["connection_made"], since, given), given)
    return Calls(
        _endpoints(table),
        table["path"].astype(object).fillna("").to_numpy(),
        table["protocol"].astype(object).to_numpy(),
        time["start"],
        time["end"],
        table["outcome"].to_numpy() == enum("calls", "outcome", "untold"),
        table["outcome"].to_numpy() == enum("calls", "outcome", "failed"),
        table["status"].to_numpy().astype(np.int64),
        making=had - since,
        held=given - had,
        dispatch=until - given,
        waited_since=had,
        connection=connection,
        made=time["connection_made"],
        sent=time["sent"],
        stop=stop - start,
    )


def _from(column: pd.Series, start: int) -> IntArray:
    values = column.to_numpy()
    return np.where(values < 0, NEVER, np.maximum(values - start, 0))


def _given(items: Items, tid: IntArray, since: IntArray, until: IntArray) -> IntArray:
    """Returns when each waiting call got its connection: when the item in which it continued was queued.

    If the call continued in an item from before the wait, or in none because its thread had blocked, it continued at
    once.
    """
    item, known = last_begun(items, tid, until)
    if items.count == 0:
        return until
    queued = items.enqueue[item]
    own = known & (items.end[item] >= until) & (queued >= since) & (queued <= until) & ~items.censored_start[item]
    return np.where(own, queued, until)


def _endpoints(table: pd.DataFrame) -> AnyArray:
    """Returns host and port of each call, with an IPv6 address in brackets."""
    port = table["port"].to_numpy().astype(np.int64)
    host = table["host"].cat.codes.to_numpy().astype(np.int64)
    pairs, code = np.unique(np.stack((host, port)), axis=1, return_inverse=True)
    hosts = [*map(str, table["host"].cat.categories), "unknown"]
    names = [_endpoint(hosts[int(h)], int(p)) for h, p in pairs.T]
    return np.asarray(np.array(names, dtype=object)[code.ravel()])


def _endpoint(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port}" if port >= 0 else shown


STEADY = 0.9
"""The share of the wait during which the largest number of open connections must have been open.

HttpClient opens another connection for a waiting call unless it has reached its limit. If the number still grew, the
calls waited for connections that were being made, not for a limit.
"""
NEARLY = 0.25
"""The tolerance of the number of open streams: after one ends, the next call needs a moment to begin its own."""
WITHIN_WAIT = (0.25, 0.5, 0.75)
"""The points of a wait, as shares of its length, at which open streams are counted."""
NOTICED_MS = 1.0
"""A shorter wait is no sign of a limit: the call took a connection that another one returned before its own was
made."""


@dataclass(frozen=True)
class ConnectionLimit:
    """Calls to one host that waited until other calls returned their connections, while no connection was added."""

    endpoint: str
    connections: int
    """The number open at once while they waited."""
    calls: int
    """The number of calls to this host in all."""
    waited: IntArray
    """Index into Calls of the calls that waited, shape (waited,)."""
    held: IntArray
    """How long each of them waited for another call's connection, ns."""
    share: float
    """The share of all the time of calls to this host, 0 to 1."""


@dataclass(frozen=True)
class StreamLimit(ConnectionLimit):
    """The same for calls over HTTP/2. A connection carries as many of these at once as the server allows."""

    streams: int
    """The median number of streams open on all connections while calls waited."""


def find_stream_limits(calls: Calls) -> list[StreamLimit]:
    """Returns the hosts to which calls over HTTP/2 waited while the number of open streams was steady, costliest
    first."""
    found = []
    second = np.asarray([str(protocol).startswith("HTTP/2") for protocol in calls.protocol], dtype=bool)
    for endpoint in dict.fromkeys(calls.endpoint[(calls.held > NOTICED_MS * NS_PER_MS) & second]):
        own = np.asarray((calls.endpoint == endpoint) & second)
        waited = np.flatnonzero(own & (calls.held > NOTICED_MS * NS_PER_MS))
        held = calls.held[waited]
        sent = np.flatnonzero(own & (calls.sent >= 0))
        began, ended = np.sort(calls.sent[sent]), np.sort(np.where(calls.open[sent], calls.stop, calls.end[sent]))
        # Calls of a burst end together. At one moment hardly any stream is open, or ended calls without a recorded end
        # count along with the next ones.
        moments = calls.waited_since[waited] + np.outer(WITHIN_WAIT, held).astype(np.int64)
        open_then = np.searchsorted(began, moments, side="right") - np.searchsorted(ended, moments, side="right")
        count = np.median(open_then, axis=0)
        streams = int(np.median(count))
        if streams < 2 or float(held[np.abs(count - streams) <= NEARLY * streams].sum()) < STEADY * float(held.sum()):
            continue
        share = float(held.sum()) / max(float(calls.latency[own].sum()), 1.0)
        connections = len(np.unique(calls.connection[sent][calls.connection[sent] >= 0]))
        found.append(StreamLimit(str(endpoint), connections, int(own.sum()), waited, held, share, streams))
    return sorted(found, key=lambda limit: -float(limit.held.sum()))


def find_connection_limits(calls: Calls) -> list[ConnectionLimit]:
    """Returns the hosts with such a limit, costliest first. HTTP/1.1 only."""
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
    """Returns when the connections of these calls were opened and last used, each in order of time, shape
    (connections,)."""
    sent = np.flatnonzero(own & (calls.connection >= 0) & (calls.sent >= 0))
    _, code = np.unique(calls.connection[sent], return_inverse=True)
    opened = np.full(int(code.max(initial=-1)) + 1, calls.stop, dtype=np.int64)
    closed = np.zeros_like(opened)
    # Connections made before the recording are open from its start.
    np.minimum.at(opened, code, np.maximum(calls.made[sent], 0))
    np.maximum.at(closed, code, np.where(calls.open[sent], calls.stop, calls.end[sent]))
    return np.sort(opened), np.sort(closed)
